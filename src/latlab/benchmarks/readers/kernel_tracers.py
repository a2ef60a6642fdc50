# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's tracers that measure by themselves (kernel/trace/trace_output.c): hwlat, osnoise, and those of the largest latency: wakeup,
wakeup_rt, wakeup_dl, irqsoff, preemptoff, preemptirqsoff. timerlat's wake-ups are read elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from latlab.benchmarks.model import Benchmark
from latlab.benchmarks.readers.rtla_output import LOST
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.line_account import second_run

_AT = r"^.*-\d{1,9} +(?:\( *[-\d]+\) +)?\[(?P<cpu>\d{1,5})\] +\S+ +(?P<seconds>\d{1,9}\.\d{6,9}): +"
GAP = re.compile(
    _AT + r"#(?P<number>\d{1,9}) +inner/outer\(us\): +(?P<inner>\d{1,12})/(?P<outer>\d{1,12}) +ts:\d+\.\d+(?: +count:(?P<count>\d{1,9}))?"
    r"(?: +nmi-total:\d+)?(?: +nmi-count:\d+)?\s*$",
    re.ASCII,
)
NOISE = re.compile(
    _AT + r"(?P<runtime>\d{1,15}) +(?P<noise>\d{1,15}) +\d{1,3}\.\d{5} +(?P<single>\d{1,15})(?P<counts>(?: +\d{1,12}){5})\s*$", re.ASCII
)
LATENCY = re.compile(r"^# latency: (?P<us>\d{1,12}) us, #\d+/\d+, CPU#(?P<cpu>\d{1,5}) \|", re.ASCII)
TASK = re.compile(r"^# +\| task: (?P<task>.{1,60}?-\d{1,9}) \(uid:.*rt_prio:(?P<priority>\d+)\)", re.ASCII)
LATENCY_TRACER = re.compile(r"^# tracer: (wakeup|wakeup_rt|wakeup_dl|irqsoff|preemptoff|preemptirqsoff)\s*$", re.MULTILINE)
NOISE_TRACER = re.compile(r"^# tracer: osnoise\s*$", re.MULTILINE)
GAP_TRACER = re.compile(r"^# tracer: hwlat\s*$|\] +\S+ +\d+\.\d+: +#\d+ +inner/outer\(us\): +\d+/\d+", re.MULTILINE)
HEAD = re.compile(r"^#(?:\s*$| tracer: | {3,}\S| -{20,}| \w+ latency trace v| entries-in-buffer)")
BODY = re.compile(r"^ *\S.{0,24}-\d{1,9} +\d+\S{3,6} +\d+us[ +!#*@$]?: |^ => \S")
SOURCES = ("hardware", "NMI", "interrupts", "soft interrupts", "threads")
GAP_LINES = (GAP_TRACER, GAP, LOST)
NOISE_LINES = (NOISE_TRACER, NOISE, LOST)
LATENCY_LINES = (LATENCY_TRACER, LATENCY, TASK, BODY)


def read_hwlat_trace(text: str, place: str) -> Benchmark:
    """How many gaps above the threshold the trace holds, and the largest: a line is of a window, in which `count:` of them were. How long
    the tracer ran is not in it."""
    gaps: list[int] = []
    above = 0
    cpus: set[int] = set()
    last, begun = -1, 0
    for number, line in enumerate(text.split("\n"), 1):
        if match := GAP.match(line):
            if int(match["number"]) <= last:
                raise second_run(place, begun, number, "the hwlat tracer", f"gap {last} comes before {match['number']}")
            last, begun = int(match["number"]), begun or number
            gaps.append(max(int(match["inner"]), int(match["outer"])))
            above += int(match["count"] or 1)
            cpus.add(int(match["cpu"]))
    if not gaps:
        raise DataError("the trace of hwlat has no gap, and no duration; there is no figure to import", place=place)
    amounts = (
        Amount("hwlat", Metric.EVENTS, "gaps above the threshold", None, (float(above),)),
        Amount("hwlat", Metric.DURATION, "largest gap", None, (max(gaps) * 1e3,)),
    )
    facts = (
        ("windows with gaps", str(len(gaps))),
        ("CPUs with gaps", ", ".join(map(str, sorted(cpus)))),
        ("duration", "not in the trace: gaps are counted, not their rate"),
    )
    return Benchmark("hwlat tracer", amounts, facts=facts, problems=tuple(_lost(text, place)))


def read_osnoise_trace(text: str, place: str) -> Benchmark:
    """Sums over the periods of each CPU, in the names of rtla's screen."""
    periods: dict[int, list[re.Match[str]]] = {}
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        if match := NOISE.match(line):
            begun = begun or number
            before = periods.setdefault(int(match["cpu"]), [])
            if before and float(match["seconds"]) <= float(before[-1]["seconds"]):
                raise second_run(place, begun, number, "the osnoise tracer", f"after {before[-1]['seconds']} s comes {match['seconds']} s")
            before.append(match)
    if not periods:
        raise DataError("no period in the trace of osnoise; it was stopped before the first one ended", place=place)
    amounts = tuple(amount for cpu in sorted(periods) for amount in _noise(cpu, periods[cpu]))
    return Benchmark("osnoise tracer", amounts, problems=tuple(_lost(text, place)))


def _noise(cpu: int, periods: list[re.Match[str]]) -> Iterator[Amount]:
    tool, core = "osnoise", CoreId(0, cpu)
    runtime, noise = (sum(int(period[name]) for period in periods) for name in ("runtime", "noise"))
    seconds = runtime / 1e6
    yield Amount(tool, Metric.AVAILABLE, "to the thread", core, (100 * max(runtime - noise, 0) / runtime if runtime else 0.0,))
    yield Amount(tool, Metric.DURATION, "noise", core, (noise * 1e3,), seconds)
    yield Amount(tool, Metric.DURATION, "most noise of a period", core, (max(int(period["noise"]) for period in periods) * 1e3,))
    yield Amount(tool, Metric.DURATION, "longest single noise", core, (max(int(period["single"]) for period in periods) * 1e3,))
    for number, source in enumerate(SOURCES):
        yield Amount(tool, Metric.EVENTS, source, core, (float(sum(int(period["counts"].split()[number]) for period in periods)),), seconds)


def read_latency_trace(text: str, place: str) -> Benchmark:
    """The largest latency that the tracer saw, which is all that such a trace is of."""
    tracers = LATENCY_TRACER.findall(text)
    if len(tracers) != 1:
        raise DataError(f"{len(tracers)} traces of the largest latency", "put each into a file of its own", place=place)
    facts: list[tuple[str, str]] = []
    amounts: list[Amount] = []
    for line in text.split("\n"):
        if match := LATENCY.match(line):
            amounts.append(Amount(tracers[0], Metric.DURATION, "largest latency", CoreId(0, int(match["cpu"])), (int(match["us"]) * 1e3,)))
        elif match := TASK.match(line):
            facts.append(("task", f"{match['task']}, real-time priority {match['priority']}"))
    if len(amounts) != 1:
        raise DataError(f"no line `# latency:` of the tracer {tracers[0]}; it saw none, or the trace was cut off", place=place)
    return Benchmark(f"{tracers[0]} tracer", tuple(amounts), facts=tuple(facts))


def _lost(text: str, place: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if LOST.search(line):
            yield f"{place}:{number}: {line.strip()[:60]!r}: the kernel's buffer was too small; what it held is left out"
