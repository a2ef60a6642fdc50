# SPDX-License-Identifier: BSD-3-Clause
"""The `<RT_INSTR:...>` lines of runtime instrumentation: figures in nanoseconds, one core and one iteration per line.

They carry no checksum: only their shape can be checked here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from latlab.core.model.enums import Metric
from latlab.core.model.figures import Figures
from latlab.core.model.run import CoreId, Problem, Topology
from latlab.core.readers.dump.frames import Damage, shaped, strip_escapes

POWER_METRICS = (Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH)
CALL_METRICS = (Metric.PSCI_CALL,)

TEST_PREFIX = "test_rt_instr_"
_GAP = r"(?:\t| {1,8})"  # a terminal makes blanks of a tab
_FIGURES = rf"(\d{{1,18}})(?:{_GAP}(\d{{1,18}}){_GAP}(\d{{1,18}}))?"
_LINE = re.compile(rf"<RT_INSTR:([A-Za-z_]\w*){_GAP}(\d{{1,5}}){_GAP}(\d{{1,5}}){_GAP}{_FIGURES}/>", re.ASCII)
_HEAD = re.compile(r"<RT_INSTR")
_TAIL = re.compile(rf"{_GAP}\d+{_GAP}\d+/>", re.ASCII)


# What the boot loader, the runtime firmware and the test framework say first; those of one boot stand before its first figure.
BANNER = "NOTICE:"
_BANNER = re.compile(r"NOTICE:\s+(?:Booting trusted firmware|BL1: |BL2: |BL31: )", re.ASCII | re.IGNORECASE)
_VERSION = re.compile(r"NOTICE:\s+BL31: (v\S+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Placed:
    """Figures with the boot and, in that, the iteration of their test, both from 0."""

    boot: int
    iteration: int
    figures: Figures


def short_name(test: str) -> str:
    """The test's name without the prefix that the console lines give it."""
    return test.removeprefix(TEST_PREFIX)


def parse_figures(line: str) -> Iterator[Figures | Damage]:
    """Every figure line in one console line; what looks like one but is not is a `Damage`."""
    if "RT_INSTR" not in line and "/>" not in line:
        return
    for shape in shaped(line, _LINE, _HEAD, _TAIL, "an RT_INSTR line"):
        yield shape if isinstance(shape, Damage) else _figures(shape)


def _figures(match: re.Match[str]) -> Figures:
    values = [int(value) for value in match.groups()[3:] if value is not None]
    metrics = POWER_METRICS if len(values) == len(POWER_METRICS) else CALL_METRICS
    return Figures(short_name(match[1]), CoreId(int(match[2]), int(match[3])), tuple(zip(metrics, values, strict=True)))


def read_figures(lines: Iterable[str], topology: Topology) -> tuple[list[Placed], list[Problem]]:
    """The figures of a log that has no dump: the n-th line of a core in a test is its iteration n, from the banner of a boot on.

    A core that the topology lacks is refused, and cores whose counts differ in a test of a boot are reported, because a line is missing.
    """
    return read_numbered_figures(enumerate(lines, 1), topology)


def read_numbered_figures(lines: Iterable[tuple[int, str]], topology: Topology) -> tuple[list[Placed], list[Problem]]:
    """Like `read_figures`, from the numbered lines that may hold figures or a banner."""
    log = _Log(topology)
    for number, line in lines:
        log.read(number, line)
    log.end_boot()
    return log.found, log.problems


class _Log:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.cores = dict.fromkeys(topology.cores)
        self.found: list[Placed] = []
        self.problems: list[Problem] = []
        self.counts: dict[str, Counter[CoreId]] = {}
        self.boot = 0
        self.last = 0
        self.version = ""

    def read(self, number: int, line: str) -> None:
        plain = strip_escapes(line)
        if BANNER in plain and _BANNER.search(plain):
            self._banner(number, plain)
        for figures in parse_figures(plain):
            self.last = number
            if isinstance(figures, Damage):
                self.problems.append(Problem(number, f"{figures.reason}; its content is lost"))
            elif figures.core not in self.cores:
                self.problems.append(
                    Problem(number, f"core {figures.core} is not in the topology {self.topology}; give the right --topology")
                )
            else:
                of_test = self.counts.setdefault(figures.test, Counter())
                self.found.append(Placed(self.boot, of_test[figures.core], figures))
                of_test[figures.core] += 1

    def end_boot(self) -> None:
        for test, of_test in self.counts.items():
            absent = next((core for core in self.cores if core not in of_test), None) if len(of_test) < len(self.cores) else None
            fewest = min(self.cores, key=lambda core: of_test[core]) if absent is None else absent
            if of_test[fewest] < max(of_test.values()):
                sentence = f"core {fewest} has {of_test[fewest]} lines of {test}, another core {max(of_test.values())}"
                self.problems.append(Problem(self.last, sentence))

    def _banner(self, number: int, plain: str) -> None:
        if self.counts:
            self.end_boot()
            self.counts = {}
            self.boot += 1
        version = _VERSION.search(plain)
        if version and self.version and version[1] != self.version:
            sentence = f"this boot is of BL31 {version[1]}, one before of {self.version}; give the log of each firmware by itself"
            self.problems.append(Problem(number, sentence))
        self.version = version[1] if version else self.version
