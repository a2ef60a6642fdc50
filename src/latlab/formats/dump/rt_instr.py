# SPDX-License-Identifier: BSD-3-Clause
"""The `<RT_INSTR:...>` lines of runtime instrumentation: figures in nanoseconds, one core and one iteration per line.

They carry no checksum: only their shape can be checked here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from latlab.formats.dump.frames import Damage, strip_escapes
from latlab.model.enums import Metric
from latlab.model.figures import Figures
from latlab.model.run import CoreId, Problem, Topology

POWER_METRICS = (Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH)
CALL_METRICS = (Metric.PSCI_CALL,)

_TEST_PREFIX = "test_rt_instr_"
_LINE = re.compile(r"<RT_INSTR:([A-Za-z_]\w*)\t(\d{1,5})\t(\d{1,5})\t(\d{1,18})(?:\t(\d{1,18})\t(\d{1,18}))?/>", re.ASCII)
_HEAD = re.compile(r"<RT_INSTR")
_TAIL = re.compile(r"\t\d+\t\d+/>", re.ASCII)


def short_name(test: str) -> str:
    """The test's name without the prefix that the console lines give it."""
    return test.removeprefix(_TEST_PREFIX)


def parse_figures(line: str) -> Iterator[Figures | Damage]:
    """Every figure line in one console line; what looks like one but is not is a `Damage`."""
    if "RT_INSTR" not in line and "/>" not in line:
        return
    good_heads, good_tails = set(), set()
    for match in _LINE.finditer(line):
        good_heads.add(match.start())
        good_tails.add(match.end())
        yield _figures(match)
    if any(match.start() not in good_heads for match in _HEAD.finditer(line)):
        yield Damage("an RT_INSTR line begins here but does not end as one")
    elif any(match.end() not in good_tails for match in _TAIL.finditer(line)):
        yield Damage("an RT_INSTR line ends here but does not begin as one")


def format_figures(figures: Figures) -> str:
    """The line, without its line end."""
    columns = [_TEST_PREFIX + figures.test, figures.core.cluster, figures.core.core, *(value for _, value in figures.values_ns)]
    return "<RT_INSTR:" + "\t".join(map(str, columns)) + "/>"


def _figures(match: re.Match[str]) -> Figures:
    values = [int(value) for value in match.groups()[3:] if value is not None]
    metrics = POWER_METRICS if len(values) == len(POWER_METRICS) else CALL_METRICS
    return Figures(short_name(match[1]), CoreId(int(match[2]), int(match[3])), tuple(zip(metrics, values, strict=True)))


def read_figures(lines: Iterable[str], topology: Topology) -> tuple[list[tuple[int, Figures]], list[Problem]]:
    """The figures of a log that has no dump: the n-th line of a core in a test is its iteration n.

    A core that the topology lacks is refused, and cores whose counts differ in a test are reported, because a line is missing.
    """
    return read_numbered_figures(enumerate(lines, 1), topology)


def read_numbered_figures(lines: Iterable[tuple[int, str]], topology: Topology) -> tuple[list[tuple[int, Figures]], list[Problem]]:
    """Like `read_figures`, from the numbered lines that may hold figures."""
    found: list[tuple[int, Figures]] = []
    problems: list[Problem] = []
    counts: dict[str, Counter[CoreId]] = {}
    cores = dict.fromkeys(topology.cores)
    number = 0
    for number, line in lines:
        for figures in parse_figures(strip_escapes(line)):
            if isinstance(figures, Damage):
                problems.append(Problem(number, f"{figures.reason}; what it said is lost"))
            elif figures.core not in cores:
                problems.append(Problem(number, f"core {figures.core} is not in the topology {topology}; give the right --topology"))
            else:
                of_test = counts.setdefault(figures.test, Counter())
                found.append((of_test[figures.core], figures))
                of_test[figures.core] += 1
    for test, of_test in counts.items():
        absent = next((core for core in cores if core not in of_test), None) if len(of_test) < len(cores) else None
        fewest = min(cores, key=lambda core: of_test[core]) if absent is None else absent
        if of_test[fewest] < max(of_test.values()):
            problems.append(Problem(number, f"core {fewest} has {of_test[fewest]} lines of {test}, another core {max(of_test.values())}"))
    return found, problems
