# SPDX-License-Identifier: BSD-3-Clause
"""Zephyr's other benchmarks: those of ztest's framework (text and CSV), sys_kernel, app_kernel, sched and boot_time, and rtos-benchmark,
which other kernels have too.

ztest's framework and sched print cycles of a clock that they do not name: such figures are values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines

_N = r"\d{1,18}(?:\.\d{1,6})?"
SUITE = re.compile(r"^(?P<name>\w{1,80}) #{5,}\s*$", re.ASCII)
NAME = re.compile(r"^(?P<name>\w{1,80}) ={5,}\s*$", re.ASCII)
SAMPLES = re.compile(rf"^\s+Sample size: *\d{{1,18}}, total cycles: {_N}\s*$", re.ASCII)
CYCLES = re.compile(rf"^\s+(?P<what>Mean\(u\)|Min|Max|p\d\d(?:\.\d{{1,2}})?|Cycles/Ops?): (?P<value>{_N})(?: \(run #\d+\))?\s*$", re.ASCII)
SPEED = re.compile(rf"^\s+Ops/Sec: (?P<value>{_N})\s*$", re.ASCII)
INCONCLUSIVE = re.compile(r"^\s+Test inconclusive|^[SMT],(?P<name>[\w,]{1,160})\tINCONCLUSIVE")
CSV_SAMPLES = re.compile(
    rf"^[SM],(?P<name>\w+,\w+),\d+,{_N},(?P<mean>{_N}),{_N},{_N},(?P<low>{_N}),\d+(?:\.\d+)?,(?P<high>{_N}),\d+\s*$", re.ASCII
)
CSV_TIMED = re.compile(rf"^T,(?P<name>\w+,\w+),\d+,\d+,\d+,(?P<speed>{_N}),(?P<cycles>{_N})\s*$", re.ASCII)
CSV_MORE = re.compile(r"^[CP],\w+,\w+,\d+,")
CASE = re.compile(r"^TEST CASE: (?P<name>\S.{0,80}?)\s*$")
CASE_TIME = re.compile(r"^DETAILS: Average time for 1 iteration: (?P<ns>\d{1,15}) nSec", re.ASCII)
CASE_FAILED = re.compile(r"^TEST RESULT: FAILED")
SCHED = re.compile(
    r"^unpend +(?P<unpend>\d{1,12}) ready +(?P<ready>\d{1,12}) switch +(?P<switch>\d{1,12}) pend +(?P<pend>\d{1,12}) tot +\d+ \(avg +\d+\)"
    r"\s*$",
    re.ASCII,
)
BOOT = re.compile(r"^_start->(?P<what>main\(\)|task|idle) *: (?P<cycles>\d{1,15}) cycles, (?P<us>\d{1,15}) us\s*$", re.ASCII)
TABLE = re.compile(r"^\|?.*M E A S U R E M E N T S *\| *nsec *\|")
ROW = re.compile(r"^\|? ?(?P<name>[A-Za-z].{0,64}?) *\| *(?P<ns>\d{1,10})\|\s*$", re.ASCII)
OTHER_ROW = re.compile(r"^\|?(?: *\d+ *\|){3,}\s*$")
STATS = re.compile(r"^\*\* (?P<name>\S.{0,60}?) stats \[avg, min, max\] in nanoseconds \*\*\s*$")
STAT = re.compile(r"^ (?P<name>\S.{0,60}?) *: *(?P<avg>\d{1,12}|n/a), *(?P<low>\d{1,12}|n/a), *(?P<high>\d{1,12}|n/a)\s*$", re.ASCII)
START = re.compile(
    r"^\s+Sample size: *\d+, total cycles: |^\s+Ops/Sec: \d|^[SMT],\w+,\w+,\d+,|^DETAILS: Average time for 1 iteration: \d"
    r"|^unpend +\d+ ready +\d+ switch|^_start->main\(\) *: \d+ cycles, |^\|?.*M E A S U R E M E N T S *\| *nsec *\|"
    r"|^\*\* \S.* stats \[avg, min, max\] in nanoseconds \*\*",
    re.MULTILINE,
)
ERROR = re.compile(r"^(?:\S+:\d+)? ?Error: tick occurred")
_FRAMEWORK = (SUITE, NAME, SAMPLES, CYCLES, SPEED, INCONCLUSIVE, CSV_SAMPLES, CSV_TIMED, CSV_MORE, CASE)
LINES = (*_FRAMEWORK, CASE_TIME, CASE_FAILED, SCHED, BOOT, TABLE, ROW, OTHER_ROW, STATS, STAT, ERROR, *printed_lines("zephyr_benchmarks"))
LOWER = {"Mean(u)": "mean", "Min": "minimum", "Max": "maximum", "Cycles/Op": "each", "Cycles/Ops": "each"}


@dataclass(slots=True)
class _Text:
    suite: str = ""
    name: str = ""
    values: dict[tuple[str, Metric, str], list[float]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, tool: str, metric: Metric, name: str, value: float) -> None:
        self.values.setdefault((tool, metric, name), []).append(value)


def read_zephyr_benchmarks(text: str, place: str) -> Benchmark:
    """Figures that are printed again are repetitions."""
    parsed = _Text()
    for number, raw in enumerate(text.split("\n"), 1):
        _take(parsed, raw.rstrip("\r"), f"{place}:{number}")
    if not parsed.values:
        raise DataError(
            parsed.problems[0] if parsed.problems else f"{place}: no figure of Zephyr's benchmark; it was stopped before it measured"
        )
    tool = next(iter(parsed.values))[0]
    facts = (("not imported", f"{parsed.left_out} rows of tables with several columns"),) if parsed.left_out else ()
    return Benchmark(tool, tuple(_amounts(parsed)), facts=facts, problems=tuple(parsed.problems))


def _amounts(parsed: _Text) -> Iterator[Amount]:
    for (tool, metric, name), values in parsed.values.items():
        yield Amount(tool, metric, name, None, tuple(values))


def _take(parsed: _Text, line: str, where: str) -> None:
    if match := SUITE.match(line):
        parsed.suite = match["name"]
    elif match := NAME.match(line):
        parsed.name = f"{parsed.suite}.{match['name']}" if parsed.suite else match["name"]
    elif match := CYCLES.match(line):
        parsed.add("ztest", Metric.VALUE, f"{parsed.name} {LOWER.get(match['what'], match['what'])}, cycles", float(match["value"]))
    elif match := SPEED.match(line):
        parsed.add("ztest", Metric.THROUGHPUT, f"{parsed.name} operations per second", float(match["value"]))
    elif match := CSV_SAMPLES.match(line):
        name = match["name"].replace(",", ".")
        for quantity, group in (("mean", "mean"), ("minimum", "low"), ("maximum", "high")):
            parsed.add("ztest", Metric.VALUE, f"{name} {quantity}, cycles", float(match[group]))
    elif match := CSV_TIMED.match(line):
        name = match["name"].replace(",", ".")
        parsed.add("ztest", Metric.THROUGHPUT, f"{name} operations per second", float(match["speed"]))
        parsed.add("ztest", Metric.VALUE, f"{name} each, cycles", float(match["cycles"]))
    elif match := INCONCLUSIVE.match(line):
        parsed.problems.append(f"{where}: {(match['name'] or parsed.name).replace(',', '.')} is inconclusive; it is left out")
    elif ERROR.match(line):
        parsed.problems.append(f"{where}: the benchmark says that a tick occurred while it measured")
    else:
        _take_older(parsed, line, where)


def _take_older(parsed: _Text, line: str, where: str) -> None:
    if match := CASE.match(line):
        parsed.name = match["name"]
    elif match := CASE_TIME.match(line):
        parsed.add("sys_kernel", Metric.DURATION, parsed.name, float(match["ns"]))
    elif CASE_FAILED.match(line):
        parsed.problems.append(f"{where}: {parsed.name} failed")
    elif match := SCHED.match(line):
        for quantity in ("unpend", "ready", "switch", "pend"):
            parsed.add("sched", Metric.VALUE, f"{quantity}, cycles", float(match[quantity]))
    elif match := BOOT.match(line):
        parsed.add("boot_time", Metric.DURATION, f"to {match['what']}", float(match["us"]) * 1e3)
    elif TABLE.match(line):
        parsed.name = "app_kernel"
    elif parsed.name == "app_kernel" and (match := ROW.match(line)):
        parsed.add("app_kernel", Metric.DURATION, match["name"], float(match["ns"]))
    elif match := STATS.match(line):
        parsed.suite = match["name"]
    elif match := STAT.match(line):
        for quantity, group in (("minimum", "low"), ("mean", "avg"), ("maximum", "high")):
            if match[group] != "n/a":
                parsed.add("rtos-benchmark", Metric.DURATION, f"{parsed.suite}: {match['name']} {quantity}", float(match[group]))
    elif OTHER_ROW.match(line):
        parsed.left_out += 1
