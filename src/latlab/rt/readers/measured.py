# SPDX-License-Identifier: BSD-3-Clause
"""What other tools print, in one table: how each is recognised by what stands in it, who reads it, and what a refusal
and docs/reference/formats.md name. The first that knows a text reads it."""

from __future__ import annotations

import json
import re
import shlex
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, TypeVar

from latlab.benchmarks.model import Benchmark
from latlab.benchmarks.readers import (
    google_benchmark,
    hackbench,
    hwlatdetect,
    irq_times,
    isochron,
    kernel_tracers,
    latency_measure,
    osnoise_top,
    perf_sched,
    schbench,
    thread_metric,
    xtest,
    zephyr_benchmarks,
)
from latlab.benchmarks.readers.osnoise_top import is_osnoise_top, read_osnoise_top
from latlab.benchmarks.readers.recording import CSV_LINES, is_recording_csv, load_json, read_recording_csv, read_twister_json
from latlab.core.errors import DataError
from latlab.core.readers.console_text import console_text
from latlab.core.readers.line_account import Forms, account_of, sentence
from latlab.rt.model.power_steps import LostCpu
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers import (
    cyclictest,
    oslat,
    pairs,
    rteval,
    rtla,
    rtla_top,
    runqlat,
    sched_events,
    stress_ng,
    thread_lines,
    timerlat_trace,
    xenomai,
    zyclictest,
)
from latlab.rt.readers.jitter_samples import looks_like_samples, read_samples
from latlab.rt.readers.lost_cpu import ON, STARTUP, lost_cpus
from latlab.rt.readers.perfetto_ftrace import is_perfetto
from latlab.rt.readers.recorder import MAGIC, OLD_MAGIC, read_record
from latlab.rt.readers.rtla import OSNOISE, TIMERLAT, read_osnoise, read_timerlat
from latlab.rt.readers.rtla_top import is_timerlat_top, read_timerlat_top
from latlab.rt.readers.sched_events import DAT_MAGIC, is_sched_trace, read_sched_events
from latlab.rt.readers.thread_lines import read_thread_lines, tool_of
from latlab.rt.readers.thread_traces import PERF_MAGIC
from latlab.rt.readers.wakeup_json import LINES as JITTERDEBUGGER
from latlab.rt.readers.wakeup_json import NAN, read_json

Read = TypeVar("Read")
LOAD = ("hackbench",)
OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
OBJECT_KEYS = frozenset(("thread", "cpu", "benchmarks", "testsuites"))
MOST_OBJECTS = 50
NOT_READ = (
    (
        re.compile(JITTERDEBUGGER[0].pattern, re.MULTILINE),
        "the screen of jitterdebugger, which has no histogram and names no unit; run it with -o DIR and give results.json",
    ),
    (
        re.compile(r"\A(?:\d{1,5};\d{1,12}\.\d{9};\d{1,20}\r?\n)+"),
        "jitterdebugger's samples as text, whose unit is not named; give samples.raw, or results.json",
    ),
    (
        re.compile(
            r"^.{0,80}?\bcyclic: +SCHED_\w+: no latency information available|^.{0,80}?\bcyclic.{0,120}, skipping (?:this )?stressor",
            re.MULTILINE,
        ),
        "stress-ng's cyclic measured nothing; run it as root, with a duration of some seconds",
    ),
    (
        re.compile(r"^# (?:test started on: .*\n(?:# .*\n)+# max latency: |\d\d+:\d\d:\d\d \([^)\n]{1,60} us period, )", re.MULTILINE),
        "a file for gnuplot of Xenomai's latency or latmus; give what the tool itself printed, with the histogram of `-h` or `-g -`",
    ),
    (
        re.compile(r"^== latmus started for core tuning", re.MULTILINE),
        "latmus tuned the timer (-t) and measured no latency; run it without -t",
    ),
    (
        re.compile(r"^timestamps:\s*\n *- core: \d+\s*\n +counter: ", re.MULTILINE),
        "time stamps of OP-TEE's benchmark framework, in ticks of a counter whose frequency it does not name; give the output of xtest",
    ),
    (
        re.compile(r"^# tracer: (?:nop|function|function_graph|blk|mmiotrace)\s*$", re.MULTILINE),
        "a trace of the kernel without latencies; record sched_waking and sched_switch, or use the tracer timerlat, hwlat or wakeup_rt",
    ),
    (
        re.compile(r"^ +time +cpu .*task name +wait time +sch delay ", re.MULTILINE),
        "perf sched timehist, which has no switches; import the perf.data of the same recording with --thread NAME or --all-rt, "
        "or give `perf sched latency` of it",
    ),
    (
        re.compile(
            r"^ *\S.{0,40}? +\d{1,9} +\[\d{1,5}\] +\d{1,9}\.\d{6,9}: +(?:\d+ +)?sched:sched_(?:switch|waking|wakeup): ", re.MULTILINE
        ),
        "events of perf, of many threads; name yours with --thread NAME, or all with a real-time priority with --all-rt",
    ),
    (
        re.compile(r"^Benchmark +Time +CPU +Iterations|^name,iterations,real_time,cpu_time,time_unit,", re.MULTILINE),
        "Google Benchmark's table or CSV, which is not read; run it with --benchmark_format=json",
    ),
    (re.compile(r"^ +Max latency was ", re.MULTILINE), "rtla with --aa-only, which prints no statistics; run it with -a instead"),
)
"""What is known and not read, and what to give instead."""
BINARY = {MAGIC: "recorder", DAT_MAGIC: "trace-cmd", PERF_MAGIC: "perf"}
"""Files that are no text, by their first bytes."""
BEYOND = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Format(Generic[Read]):
    """`names` are the tools that print it. `form` is what proves it, for a sentence. `lines` are those that the tool prints, `own_lines`
    those of them that other programs print too. `may_be` knows what another tool could have printed too: it is read where the user says
    which tool it was."""

    names: tuple[str, ...]
    knows: Callable[[str], bool]
    read: Callable[[str, str], Read]
    form: str
    lines: Forms
    may_be: Callable[[str], bool] = lambda text: False
    own_lines: Forms = ()


@dataclass(frozen=True, slots=True)
class _File:
    """`whole` is the text of all lines. `text` is that of the object at the lines `inside` alone, where the file has one, with each line in
    its place."""

    text: str
    whole: str
    inside: range | None
    removed: tuple[str, ...]

    @property
    def outside(self) -> str:
        """What stands around the object."""
        lines = enumerate(self.whole.split("\n"), 1)
        return "\n".join("" if self.inside is not None and number in self.inside else line for number, line in lines)

    def text_for(self, file_format: Format[Any]) -> str:
        """The object for a reader of objects, for any other what stands around it."""
        return self.text if self.inside is None or file_format.knows(self.text) else self.outside


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


def _line(words: str) -> Callable[[str], bool]:
    """A line begins with these words: above it may stand what a terminal showed before."""
    return _has(re.compile(rf"^{re.escape(words)}", re.MULTILINE))


def _begins(words: str) -> Callable[[str], bool]:
    return lambda text: text.lstrip().startswith(words)


def _json(key: str) -> Callable[[str], bool]:
    """An object with this key, by its look: the reader parses it."""
    pattern = re.compile(rf'"{key}"\s*:')
    return lambda text: text.lstrip().startswith("{") and pattern.search(text) is not None


def _google(text: str, place: str) -> Benchmark:
    return google_benchmark.read_google_benchmark(load_json(text, place), place)


def _twister(text: str, place: str) -> Benchmark:
    return read_twister_json(load_json(text, place), place)


AMOUNTS: tuple[Format[Benchmark], ...] = (
    Format(("twister.json",), _json("testsuites"), _twister, "a JSON object with `testsuites`", ()),
    Format(("Google Benchmark",), _json("benchmarks"), _google, "a JSON object with `benchmarks`", ()),
    Format(
        ("recording.csv",), is_recording_csv, read_recording_csv, "twister's line of column names, each in quotes", (), own_lines=CSV_LINES
    ),
    Format(("rtla osnoise top", "rtla hwnoise"), is_osnoise_top, read_osnoise_top, "the title of rtla's screen", osnoise_top.LINES),
    Format(
        ("hwlatdetect",),
        _has(hwlatdetect.START),
        hwlatdetect.read_hwlatdetect,
        "the line `hwlatdetect:  test duration ... seconds`",
        hwlatdetect.LINES,
    ),
    Format(
        ("softirqs", "hardirqs"),
        _has(irq_times.START),
        irq_times.read_irq_times,
        "the line `Tracing soft irq event time...` or of hardirqs",
        irq_times.LINES,
        own_lines=irq_times.OWN_LINES,
    ),
    Format(
        ("isochron",),
        _has(isochron.START),
        isochron.read_isochron,
        "a line such as `Path delay: min ... max ...`",
        isochron.LINES,
        own_lines=isochron.OWN_LINES,
    ),
    Format(("xtest",), _has(xtest.START), xtest.read_xtest, "a line `min=...us max=...us` or the table of data sizes", xtest.LINES),
    Format(
        ("hwlat tracer",),
        _has(kernel_tracers.GAP_TRACER),
        kernel_tracers.read_hwlat_trace,
        "a line with `inner/outer(us):`",
        kernel_tracers.GAP_LINES,
        own_lines=(kernel_tracers.HEAD,),
    ),
    Format(
        ("osnoise tracer",),
        _has(kernel_tracers.NOISE_TRACER),
        kernel_tracers.read_osnoise_trace,
        "the line `# tracer: osnoise`",
        kernel_tracers.NOISE_LINES,
        own_lines=(kernel_tracers.HEAD,),
    ),
    Format(
        ("wakeup_rt tracer", "irqsoff tracer"),
        _has(kernel_tracers.LATENCY_TRACER),
        kernel_tracers.read_latency_trace,
        "the line `# tracer:` of a tracer of the largest latency",
        kernel_tracers.LATENCY_LINES,
        own_lines=(kernel_tracers.HEAD,),
    ),
    Format(
        ("latency_measure",),
        _has(latency_measure.START),
        latency_measure.read_latency_measure,
        "the line `START - Time Measurement`, or one with `cycles , ... ns`",
        latency_measure.LINES,
    ),
    Format(
        ("ztest's benchmarks", "sys_kernel", "app_kernel", "boot_time"),
        _has(zephyr_benchmarks.START),
        zephyr_benchmarks.read_zephyr_benchmarks,
        "a line of one of Zephyr's benchmarks, such as `Sample size:` or `DETAILS: Average time`",
        zephyr_benchmarks.LINES,
    ),
    Format(
        ("Thread-Metric",),
        _has(thread_metric.START),
        thread_metric.read_thread_metric,
        "the line `**** Thread-Metric`",
        thread_metric.LINES,
    ),
    Format(
        ("perf sched latency",),
        _has(perf_sched.START),
        perf_sched.read_perf_sched,
        "the line of column names with `Task` and `Runtime ms`",
        perf_sched.LINES,
    ),
    Format(("schbench",), _has(schbench.START), schbench.read_schbench, "the line `Latency percentiles (usec)`", schbench.LINES),
    Format(
        ("hackbench",), _has(hackbench.START), hackbench.read_hackbench, "the line `Running in ... mode` or `Time: ...`", hackbench.LINES
    ),
)
WAKEUPS: tuple[Format[Wakeups], ...] = (
    Format(("jitterdebugger",), _begins("{"), read_json, "a JSON object, or jitterdebugger's samples", JITTERDEBUGGER),
    Format(("rteval",), rteval.is_rteval, rteval.read_rteval, "rteval's report or its XML", rteval.SIGNS, own_lines=rteval.LINES),
    Format(("rtla timerlat hist",), _line(TIMERLAT), read_timerlat, "the line `# RTLA timerlat histogram`", rtla.LINES),
    Format(("rtla osnoise hist",), _line(OSNOISE), read_osnoise, "the line `# RTLA osnoise histogram`", rtla.LINES),
    Format(("rtla timerlat top",), is_timerlat_top, read_timerlat_top, "the title of rtla's screen, `Timer Latency`", rtla_top.LINES),
    Format(
        ("timerlat tracer",),
        timerlat_trace.is_timerlat_trace,
        timerlat_trace.read_timerlat_trace,
        "the line `# tracer: timerlat`, or two with `context thread timer_latency`",
        timerlat_trace.LINES,
        own_lines=(kernel_tracers.HEAD,),
    ),
    Format(
        ("zyclictest",), _has(zyclictest.START), zyclictest.read_zyclictest, "the line `Max-Latency:` with two figures", zyclictest.LINES
    ),
    Format(("trace-cmd report",), is_sched_trace, read_sched_events, "a line of `sched_wakeup` or `sched_switch`", sched_events.LINES),
    Format(("oslat",), _has(oslat.START), oslat.read_oslat, "the line `oslat V ...`", oslat.LINES),
    Format(
        ("Xenomai's latency", "latmus"),
        _has(xenomai.START),
        xenomai.read_xenomai,
        "a line that begins with RTT|, RTH|, RTD| or RTS|",
        xenomai.LINES,
        own_lines=xenomai.OWN_LINES,
    ),
    Format(
        ("stress-ng --cyclic",),
        _has(stress_ng.START),
        stress_ng.read_stress_ng,
        "the line `sched SCHED_...: ... ns delay, ... samples`",
        stress_ng.LINES,
    ),
    Format(
        ("runqlat",),
        _has(runqlat.START),
        runqlat.read_runqlat,
        "a histogram under `usecs : count distribution`",
        runqlat.LINES,
        _has(runqlat.HISTOGRAM),
    ),
    Format(pairs.PROGRAMS, _has(pairs.START), pairs.read_pairs, "a line such as `#0: ID123, P90, CPU0, I1000`", pairs.LINES),
    Format(
        ("cyclicdeadline", "signaltest"),
        lambda text: tool_of(text) is not None,
        read_thread_lines,
        "a `T:` line with `I:` or `P:` and `C:`",
        thread_lines.LINES,
    ),
    Format(
        ("cyclictest",),
        cyclictest.is_cyclictest,
        cyclictest.read_cyclictest,
        "`# Histogram`, rows of a histogram or a `T:` line",
        cyclictest.LINES,
        cyclictest.looks_like_rows,
    ),
)
EVERY: tuple[Format[Any], ...] = (*AMOUNTS, *WAKEUPS)
CYCLICTEST = WAKEUPS[-1]
PRINT_ITS_ROWS = ("cyclicdeadline", "rteval")
"""Tools whose output has rows of cyclictest's histogram."""


def known_names() -> tuple[str, ...]:
    """Every tool whose output is read."""
    return tuple(name for formats in (WAKEUPS, AMOUNTS) for file_format in formats for name in file_format.names)


def refusal(text: str, place: str) -> DataError:
    """Of a text that no tool wrote whose output is read."""
    lost = lost_cpus(text)
    if lost:
        return DataError(
            f"a kernel log without latencies; {'; '.join(map(_lost, lost))}",
            "measure each power cycle on the board with `latlab run rt-power`",
            place=place,
        )
    return DataError(
        "the format is not known",
        f"give a console log with lines of latlab or of RT_INSTR, or the output of {', '.join(known_names())}",
        place=place,
    )


def _lost(lost_cpu: LostCpu) -> str:
    went = "come up" if lost_cpu.call in (ON, STARTUP) else "go down"
    code = f" with {lost_cpu.code}" if lost_cpu.code else ""
    return f"line {lost_cpu.line}: CPU {lost_cpu.cpu} did not {went}, {lost_cpu.call} failed{code}"


def formats_of(file: _File) -> tuple[Format[Any], ...]:
    """Those whose tools are proven to have written in it. A load beside a measurement is none of them, nor is a tool whose rows another
    one prints too."""
    matching = _proven(file.text)
    if file.inside is not None and file.outside.strip():
        around = [file_format for file_format in _proven(file.outside) if file_format.names != LOAD]
        matching = [*(file_format for file_format in around if file_format not in matching), *matching]
    if len(matching) > 1:
        matching = [file_format for file_format in matching if file_format.names != LOAD]
    if len(matching) > 1 and matching[-1] is CYCLICTEST and not cyclictest.has_own_lines(file.text):
        others = {name for file_format in matching for name in file_format.names} & set(PRINT_ITS_ROWS)
        matching = matching[:-1] if others else matching
    return tuple(matching)


def _proven(text: str) -> list[Format[Any]]:
    matching = [file_format for file_format in EVERY if file_format.knows(text)]
    return matching[:1] if text.lstrip().startswith("{") else matching


def proven_tools(data: bytes) -> tuple[str, ...]:
    """The tools that are proven to have written the file; none where no form is complete."""
    if _is_binary(data):
        return (_binary_tool(data),)
    return tuple(file_format.names[0] for file_format in formats_of(_file(data)))


def guarded(read: Callable[[], Read], place: str) -> Read:
    """A reader's answer. Whatever a damaged file makes it stumble over, the file is to blame and not latlab."""
    try:
        return read()
    except BEYOND as error:
        detail = " ".join(str(error).split())[:80]
        raise DataError(f"it cannot be read ({detail}); the file is damaged", place=place) from error


def holds_amounts(data: bytes, place: str, tool: str = "") -> bool:
    """Whether the file is for a reader of amounts. Raises DataError if it has the measurements of two tools and `tool` does not say which
    is meant: neither may be lost silently."""
    if _is_binary(data):
        return False
    file = _file(data)
    if tool:
        return _as_said(tool, file, place) in AMOUNTS
    _check_one_object(file, place)
    matching = formats_of(file)
    if len(matching) > 1:
        both_names = f"{matching[0].names[0]} and {matching[1].names[0]}"
        raise DataError(
            f"it holds the output of two tools, {both_names}. Put each into a file of its own and import both, "
            f"or import one of them with --as {quoted(matching[0].names[0])} or --as {quoted(matching[1].names[0])}",
            place=place,
        )
    return bool(matching) and matching[0] in AMOUNTS


def read_amounts(data: bytes, place: str, tool: str = "") -> Benchmark:
    """What the file says, of the tool that is named or of the one that wrote it. Raises DataError with one sentence where it is of none of
    these tools or nothing can be read."""
    file = _file(data)
    if not file.whole.strip():
        raise DataError("empty; the tool was killed before it printed", place=place)
    _check_one_object(file, place)
    chosen = next(
        (file_format for file_format in AMOUNTS if tool in file_format.names or (not tool and file_format.knows(file.text))), None
    )
    if chosen is None:
        raise refusal(file.whole, place)
    text = file.text_for(chosen)
    read = guarded(lambda: chosen.read(text, place), place)
    return replace(read, facts=(*read.facts, *_about(file, chosen, read.tool, tool)))


def read_wakeups(data: bytes, place: str, duration_s: float | None = None, nanoseconds: bool = False, tool: str = "") -> Wakeups:
    """Wake-ups or stalls, of the tool that is named or of the one that wrote the file. Raises DataError with one sentence where the file is
    of no tool that is read or nothing can be read."""
    if not data.strip():
        raise DataError("empty; the tool was killed before it printed", place=place)
    wakeups = guarded(lambda: _read(data, place, duration_s, nanoseconds, tool), place)
    if not wakeups.cpus:
        raise DataError("no CPU in it; the tool was stopped before it measured", place=place)
    if wrong := next((cpu for cpu in wakeups.cpus if cpu.got and cpu.minimum_ticks > cpu.maximum_ticks), None):
        ends = f"the minimum {wrong.minimum_ticks:,} ns is above the maximum {wrong.maximum_ticks:,} ns"
        raise DataError(f"row {wrong.number}: {ends}; the file is damaged", place=place)
    return wakeups


def _read(data: bytes, place: str, duration_s: float | None, nanoseconds: bool, tool: str) -> Wakeups:
    if data.startswith((MAGIC, OLD_MAGIC)):
        return read_record(data, place)
    if data.startswith(DAT_MAGIC):
        raise DataError("a file of trace-cmd", "name what `trace-cmd report -t` prints of it, or keep it with `latlab import`", place=place)
    if data.startswith(PERF_MAGIC):
        raise DataError("a file of perf", "import it with --thread NAME or --all-rt", place=place)
    if is_perfetto(data):
        raise DataError("a trace of Perfetto, of many threads", "import it with --thread NAME or --all-rt", place=place)
    if looks_like_samples(data):
        return read_samples(data, place, nanoseconds)
    file = _file(data)
    _check_one_object(file, place)
    chosen = next(
        (file_format for file_format in WAKEUPS if tool in file_format.names or (not tool and file_format.knows(file.text))), None
    )
    if chosen is None:
        raise _unproven(file.whole, place)
    text = file.text_for(chosen)
    read = chosen.read(text, place)
    if chosen is CYCLICTEST:
        read = cyclictest.read_cyclictest(text, place, duration_s, nanoseconds)
    return replace(read, facts=(*read.facts, *_load(file.whole), *_about(file, chosen, read.tool, tool)))


def _as_said(tool: str, file: _File, place: str) -> Format[Any]:
    """Raises DataError where the file cannot be of this tool."""
    chosen: Format[Any] = next(file_format for file_format in EVERY if tool in file_format.names)
    text = file.text_for(chosen)
    if not chosen.knows(text) and not chosen.may_be(text):
        others = ", ".join(file_format.names[0] for file_format in formats_of(file))
        advice = f"it is of {others}: leave out --as" if others else f"give the whole output of {tool}"
        raise DataError(f"{place} is no output of {tool}, as it lacks {chosen.form}; {advice}")
    return chosen


def _about(file: _File, chosen: Format[Any], printed_by: str, tool: str) -> tuple[tuple[str, str], ...]:
    """What the run says of the file as a whole: whose its lines are, what was taken off each, and what was not imported."""
    inside = file.inside if file.inside is not None and chosen.knows(file.text) else None
    account = account_of(file.whole, (*chosen.lines, *chosen.own_lines), lambda: _others(file, chosen), inside)
    removed = (("removed from each line", ", ".join(file.removed)),) if file.removed else ()
    return (("lines", sentence(printed_by, account)), *removed, *(_tool_facts(chosen, formats_of(file)) if tool else ()))


def _others(file: _File, chosen: Format[Any]) -> Iterator[tuple[str, Forms]]:
    """The lines of other tools, those of the tools that wrote in the file first."""
    return (
        (file_format.names[0], file_format.lines) for file_format in (*formats_of(file), CYCLICTEST, *EVERY) if file_format is not chosen
    )


def _tool_facts(chosen: Format[Any], proven: tuple[Format[Any], ...]) -> tuple[tuple[str, str], ...]:
    others = ", ".join(file_format.names[0] for file_format in proven if file_format is not chosen)
    return (("tool named by", "--as"), *((("not imported", f"what {others} printed in the same file"),) if others else ()))


def quoted(name: str) -> str:
    """As it is written in a command."""
    return shlex.quote(name)


def _is_binary(data: bytes) -> bool:
    return data.startswith(tuple(BINARY)) or is_perfetto(data) or looks_like_samples(data)


def _binary_tool(data: bytes) -> str:
    by_mark = next((tool for mark, tool in BINARY.items() if data.startswith(mark)), "")
    return by_mark or ("perfetto" if is_perfetto(data) else "jitterdebugger")


def _load(text: str) -> tuple[tuple[str, str], ...]:
    return (("load", "hackbench, whose lines are in the same file; its time is not imported"),) if _has(hackbench.START)(text) else ()


def _check_one_object(file: _File, place: str) -> None:
    """Log collectors write an object a line: of two none is the file's."""
    second = None
    if file.inside is not None:
        second = next((lines for lines in _objects(file.whole) if lines.start >= file.inside.stop), None)
    if second is not None:
        raise DataError("a second JSON object begins", "put each object into a file of its own", place=f"{place}:{second.start}")


def _file(data: bytes) -> _File:
    console = console_text(data)
    inside = next(_objects(console.text), None) or _element(console.text)
    if inside is None:
        return _File(console.text, console.text, None, console.removed)
    lines = console.text.split("\n")
    alone = "\n".join(line if number in inside else "" for number, line in enumerate(lines, 1))
    return _File(alone, console.text, inside, console.removed)


def _objects(text: str) -> Iterator[range]:
    """The lines, from 1, of each JSON object that is of a tool, whatever a terminal shows around it."""
    text, end = NAN.sub(r"\1NaN", text), 0
    for begun in islice(OBJECT.finditer(text), MOST_OBJECTS):
        if begun.end() <= end:
            continue
        try:
            root, end = json.JSONDecoder().raw_decode(text, begun.end() - 1)
        except (ValueError, RecursionError):
            continue
        if isinstance(root, dict) and not OBJECT_KEYS.isdisjoint(root):
            yield range(text.count("\n", 0, begun.end()) + 1, text.count("\n", 0, end) + 2)


def _element(text: str) -> range | None:
    element = rteval.ELEMENT.search(text) if "<!DOCTYPE" not in text else None
    return range(text.count("\n", 0, element.start()) + 1, text.count("\n", 0, element.end()) + 2) if element else None


def unproven(data: bytes, place: str) -> DataError:
    """What a file lacks that is of no tool for sure."""
    text = console_text(data).text
    if not text.strip():
        return DataError("empty; the tool was killed before it printed", place=place)
    return _unproven(text, place)


def _unproven(text: str, place: str) -> DataError:
    """A form that several tools print is no proof of one."""
    if runqlat.HISTOGRAM.search(text):
        return DataError(
            "a histogram of bcc, without the line by which runqlat says that it traces run queue latency. "
            "Give runqlat's whole output, or use --as runqlat",
            place=place,
        )
    if cyclictest.looks_like_rows(text):
        return DataError(
            "rows of numbers, without `# Histogram`, totals or a T: line of cyclictest",
            "give cyclictest's whole output, or use --as cyclictest",
            place=place,
        )
    other = next((refusal_text for form, refusal_text in NOT_READ if form.search(text)), "")
    if other:
        return DataError(str(other), place=place)
    return refusal(text, place)
