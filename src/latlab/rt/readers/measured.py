# SPDX-License-Identifier: BSD-3-Clause
"""What other tools print, in one table: how each is recognised by what stands in it, who reads it, and what a refusal
and docs/reference/formats.md name. The first that knows a text reads it."""

from __future__ import annotations

import json
import re
import shlex
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import ModuleType
from typing import Any, Generic, TypeVar

from latlab.benchmarks.model import Benchmark, Stated
from latlab.benchmarks.readers import (
    event_pairs,
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
from latlab.core.errors import DataError, UsageError
from latlab.core.readers.console_text import console_text
from latlab.core.readers.line_account import LETTER, MESSAGE, Forms, account_of, sentence
from latlab.core.readers.text_tables import NUMBER
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers import (
    any_figures,
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
from latlab.rt.readers.any_figures import (
    HISTOGRAM,
    SAMPLES,
    has_samples,
    histograms_of,
    is_named_by_its_rows,
    offer,
    read_histogram,
    read_table,
)
from latlab.rt.readers.impossible import disorder, impossible
from latlab.rt.readers.jitter_samples import looks_like_samples, read_samples
from latlab.rt.readers.lost_cpu import lost_cpus
from latlab.rt.readers.perfetto_ftrace import is_perfetto
from latlab.rt.readers.recorder import MAGIC, read_record
from latlab.rt.readers.refused_formats import failures, refused_format
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
JSON = re.compile(r'\A\s*\{\s*(?:["}]|\Z)')
OBJECT_KEYS = frozenset(("thread", "cpu", "benchmarks", "testsuites"))
MOST_OBJECTS = 50
NEAREST, LOOKED_AT = 3, 2000
LONGEST_COMMAND = 300
BINARY = {MAGIC: "recorder", DAT_MAGIC: "trace-cmd", PERF_MAGIC: "perf"}
"""Files that are no text, by their first bytes."""
BEYOND = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Format(Generic[Read]):
    """`names` are the tools that print it. `form` is what proves it, for a sentence. `lines` are those that the tool prints, `own_lines`
    those of them that other programs print too. `may_be` knows what another tool could have printed too: it is read where the user says
    which tool it was. `read_stated` reads with what the user says of the unit and the columns."""

    names: tuple[str, ...]
    knows: Callable[[str], bool]
    read: Callable[[str, str], Read]
    form: str
    lines: Forms
    may_be: Callable[[str], bool] = lambda text: False
    own_lines: Forms = ()
    read_stated: Callable[[str, str, Stated], Read] | None = None


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


def _json(*keys: str) -> Callable[[str], bool]:
    """An object with these keys, by its look: the reader parses it."""
    patterns = [re.compile(rf'"{key}"\s*:') for key in keys]
    return lambda text: text.lstrip().startswith("{") and all(pattern.search(text) for pattern in patterns)


def _is_recording(text: str) -> bool:
    """Names in quotes prove little: another program that is known by name comes first."""
    return is_recording_csv(text) and refused_format(text, "") is None


def _of_object(read: Callable[[Mapping[str, object], str], Benchmark]) -> Callable[[str, str], Benchmark]:
    return lambda text, place: read(load_json(text, place), place)


def _by_start(module: ModuleType, read: Callable[[str, str], Read], form: str, *names: str, **more: Any) -> Format[Read]:
    """The format of a module with `START` and `LINES`."""
    return Format(names, _has(module.START), read, form, module.LINES, own_lines=getattr(module, "OWN_LINES", ()), **more)


def _shaped(name: str, may_be: Callable[[str], bool], read: Callable[[str, str, Stated], Read], form: str) -> Format[Read]:
    """A shape that proves no tool: it is read where the user names it."""
    return Format((name,), lambda text: False, lambda text, place: read(text, place, Stated()), form, (), may_be, (NUMBER,), read)


def _tracer(names: tuple[str, ...], form: re.Pattern[str], read: Callable[[str, str], Read], words: str, lines: Forms) -> Format[Read]:
    return Format(names, _has(form), read, words, lines, own_lines=(kernel_tracers.HEAD,))


AMOUNTS: tuple[Format[Benchmark], ...] = (
    Format(("twister.json",), _json("testsuites"), _of_object(read_twister_json), "a JSON object with `testsuites`", ()),
    Format(
        ("pytest-benchmark",),
        _json("machine_info", "benchmarks"),
        _of_object(google_benchmark.read_pytest_benchmark),
        "a JSON object with `machine_info` and `benchmarks`",
        (),
    ),
    Format(
        ("Google Benchmark",),
        _json("benchmarks"),
        _of_object(google_benchmark.read_google_benchmark),
        "a JSON object with `benchmarks`",
        (),
    ),
    Format(
        ("recording.csv",), _is_recording, read_recording_csv, "twister's line of column names, each in quotes", (), own_lines=CSV_LINES
    ),
    Format(("rtla osnoise top", "rtla hwnoise"), is_osnoise_top, read_osnoise_top, "the title of rtla's screen", osnoise_top.LINES),
    _by_start(hwlatdetect, hwlatdetect.read_hwlatdetect, "the line `hwlatdetect:  test duration ... seconds`", "hwlatdetect"),
    _by_start(irq_times, irq_times.read_irq_times, "the line `Tracing soft irq event time...` or of hardirqs", "softirqs", "hardirqs"),
    _by_start(isochron, isochron.read_isochron, "a line such as `Path delay: min ... max ...`", "isochron"),
    _by_start(xtest, xtest.read_xtest, "a line `min=...us max=...us` or the table of data sizes", "xtest"),
    _tracer(
        ("hwlat tracer",),
        kernel_tracers.GAP_TRACER,
        kernel_tracers.read_hwlat_trace,
        "a line with `inner/outer(us):`",
        kernel_tracers.GAP_LINES,
    ),
    _tracer(
        ("osnoise tracer",),
        kernel_tracers.NOISE_TRACER,
        kernel_tracers.read_osnoise_trace,
        "the line `# tracer: osnoise`",
        kernel_tracers.NOISE_LINES,
    ),
    _tracer(
        ("wakeup_rt tracer", "irqsoff tracer"),
        kernel_tracers.LATENCY_TRACER,
        kernel_tracers.read_latency_trace,
        "the line `# tracer:` of a tracer of the largest latency",
        kernel_tracers.LATENCY_LINES,
    ),
    _by_start(
        latency_measure,
        latency_measure.read_latency_measure,
        "the line `START - Time Measurement`, or one with `cycles , ... ns`",
        "latency_measure",
    ),
    _by_start(
        zephyr_benchmarks,
        zephyr_benchmarks.read_zephyr_benchmarks,
        "a line of one of Zephyr's benchmarks, such as `Sample size:` or `DETAILS: Average time`",
        *("ztest's benchmarks", "sys_kernel", "app_kernel", "boot_time", "rtos-benchmark"),
    ),
    _by_start(thread_metric, thread_metric.read_thread_metric, "the line `**** Thread-Metric`", "Thread-Metric"),
    _by_start(perf_sched, perf_sched.read_perf_sched, "the line of column names with `Task` and `Runtime ms`", "perf sched latency"),
    _by_start(schbench, schbench.read_schbench, "the line `Latency percentiles (usec)`", "schbench"),
    Format(
        ("event pairs",),
        event_pairs.is_of_pairs,
        event_pairs.read_event_pairs,
        "a pair of events such as optee_invoke_fn_begin and its end",
        event_pairs.LINES,
    ),
    _by_start(hackbench, hackbench.read_hackbench, "the line `Running in ... mode` or `Time: ...`", "hackbench"),
    _shaped(SAMPLES, is_named_by_its_rows, read_table, "a table with a name and figures in each row"),
)
WAKEUPS: tuple[Format[Wakeups], ...] = (
    Format(("jitterdebugger",), _has(JSON), read_json, "a JSON object, or jitterdebugger's samples", JITTERDEBUGGER),
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
    _by_start(zyclictest, zyclictest.read_zyclictest, "the line `Max-Latency:` with two figures", "zyclictest"),
    Format(("trace-cmd report",), is_sched_trace, read_sched_events, "a line of `sched_wakeup` or `sched_switch`", sched_events.LINES),
    _by_start(oslat, oslat.read_oslat, "the line `oslat V ...`", "oslat"),
    _by_start(xenomai, xenomai.read_xenomai, "a line that begins with RTT|, RTH|, RTD| or RTS|", "Xenomai's latency", "latmus"),
    _by_start(stress_ng, stress_ng.read_stress_ng, "the line `sched SCHED_...: ... ns delay, ... samples`", "stress-ng --cyclic"),
    _by_start(runqlat, runqlat.read_runqlat, "a histogram under `usecs : count distribution`", "runqlat", may_be=_has(runqlat.HISTOGRAM)),
    _by_start(pairs, pairs.read_pairs, "a line such as `#0: ID123, P90, CPU0, I1000`", *pairs.PROGRAMS),
    Format(
        ("cyclicdeadline", "signaltest"),
        lambda text: tool_of(text) is not None,
        read_thread_lines,
        "a `T:` line with `I:` or `P:` and `C:`",
        thread_lines.LINES,
    ),
    _shaped(HISTOGRAM, lambda text: bool(histograms_of(text)), read_histogram, "a histogram: rows of a bucket and its count"),
    _shaped(SAMPLES, has_samples, any_figures.read_samples, "a column of numbers"),
    Format(
        ("cyclictest",),
        cyclictest.is_cyclictest,
        cyclictest.read_cyclictest,
        "`# Histogram`, rows of a histogram or a `T:` line",
        cyclictest.LINES,
        cyclictest.looks_like_rows,
        read_stated=lambda text, place, stated: cyclictest.read_cyclictest(text, place, stated.unit),
    ),
)
EVERY: tuple[Format[Any], ...] = (*AMOUNTS, *WAKEUPS)
CYCLICTEST = WAKEUPS[-1]
PRINT_ITS_ROWS = ("cyclicdeadline", "rteval")
"""Tools whose output has rows of cyclictest's histogram."""
DOCUMENTED = "docs/reference/formats.md lists what latlab reads; if the file is of one of these tools, name it with --as"


def known_names() -> tuple[str, ...]:
    """Every tool whose output is read, and every shape that is read if the user names it."""
    return tuple(dict.fromkeys(name for formats in (WAKEUPS, AMOUNTS) for file_format in formats for name in file_format.names))


def refusal(text: str, place: str) -> DataError:
    """Of a text that no tool wrote whose output is read."""
    lost = lost_cpus(text)
    if lost:
        return DataError(
            f"a kernel log without latencies; {'; '.join(lost_cpu.sentence for lost_cpu in lost)}",
            "measure each power cycle on the board with `latlab run rt-power`",
            place=place,
        )
    if (by_name := refused_format(text, place)) is not None:
        return by_name
    if failed := failures(text):
        lines = "; ".join(f"line {number}: {line!r}" for number, line in failed)
        return DataError(f"a tool failed and printed no figure; {lines}", "mend this and measure again", place=f"{place}:{failed[0][0]}")
    if (shape := offer(text, place)) is not None:
        form, command = shape
        return DataError(
            f"the format is not known, and it has {form}; {_nearest(text)}", f"`{command}` reads it, if that is its unit", place=place
        )
    return DataError(f"the format is not known; {_nearest(text)}", DOCUMENTED, place=place)


def _nearest(text: str) -> str:
    """The formats of which most lines are, or whose names the text has, each with what it lacks."""
    lines = [line for line in text.split("\n")[:LOOKED_AT] if LETTER.search(line)]
    by_lines = [(sum(_is_of(line, file_format) for line in lines), file_format) for file_format in EVERY]
    of_lines = sorted((pair for pair in by_lines if pair[0]), key=lambda pair: -pair[0])[:NEAREST]
    if of_lines:
        nearest = ", ".join(f"{near.names[0]} ({count} of its lines, without {near.form})" for count, near in of_lines)
        return f"nearest: {nearest}"
    named = [near for near in EVERY if any(re.search(rf"\b{re.escape(name)}\b", text) for name in near.names if near.lines)][:NEAREST]
    if named:
        return f"it names {', '.join(f'{near.names[0]} (but lacks {near.form})' for near in named)}"
    return "no line has the form of a tool that is read"


def _is_of(line: str, file_format: Format[Any]) -> bool:
    return any(form.search(line) for form in file_format.lines if form is not MESSAGE)


def formats_of(file: _File) -> tuple[Format[Any], ...]:
    """Those whose tools are proven to have written in it. A load beside a measurement is none of them, nor is a tool whose rows another
    one prints too."""
    matching = _proven(file.text)
    if file.inside is not None and file.outside.strip():
        around = [file_format for file_format in _proven(file.outside) if file_format.names != LOAD]
        matching = [*(file_format for file_format in around if file_format not in matching), *matching]
    if len(matching) > 1:
        matching = [file_format for file_format in matching if file_format.names != LOAD]
    if len(matching) > 1 and matching[-1] is CYCLICTEST and not cyclictest.has_own_lines(file.text, tool_of(file.text) is not None):
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


def holds_amounts(data: bytes, place: str, stated: str = "") -> bool:
    """Whether the file is for a reader of amounts. Raises DataError if it has the measurements of two tools and `stated` does not say which
    is meant: neither may be lost silently."""
    if _is_binary(data):
        return False
    file = _file(data)
    if tool := Stated.of(stated).tool:
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


def read_amounts(data: bytes, place: str, stated: str = "") -> Benchmark:
    """What the file says, of the tool that is named or of the one that wrote it. Raises DataError with one sentence where it is of none of
    these tools or nothing can be read."""
    file = _file(data)
    if not file.whole.strip():
        raise DataError("empty; the tool was killed before it printed", place=place)
    read: Benchmark = guarded(lambda: _read_text(AMOUNTS, file, place, Stated.of(stated)), place)
    return read


def read_wakeups(data: bytes, place: str, stated: str = "") -> Wakeups:
    """Wake-ups or stalls, of the tool that is named or of the one that wrote the file. Raises DataError with one sentence where the file is
    of no tool that is read or nothing can be read."""
    if not data.strip():
        raise DataError("empty; the tool was killed before it printed", place=place)
    wakeups = guarded(lambda: _read(data, place, Stated.of(stated)), place)
    if not wakeups.cpus:
        raise DataError("no CPU in it; the tool was stopped before it measured", place=place)
    return wakeups


def _read(data: bytes, place: str, stated: Stated) -> Wakeups:
    if data.startswith(MAGIC):
        return read_record(data, place)
    if data.startswith(DAT_MAGIC):
        raise DataError("a file of trace-cmd", "name what `trace-cmd report -t` prints of it, or keep it with `latlab import`", place=place)
    if data.startswith(PERF_MAGIC):
        raise DataError("a file of perf", "import it with --thread NAME or --all-rt", place=place)
    if is_perfetto(data):
        raise DataError("a trace of Perfetto, of many threads", "import it with --thread NAME or --all-rt", place=place)
    if looks_like_samples(data):
        return read_samples(data, place, stated.unit == "ns")
    file = _file(data)
    read: Wakeups = _read_text(WAKEUPS, file, place, stated)
    return replace(read, facts=(*read.facts, *_load(file.whole)))


def _read_text(formats: tuple[Format[Any], ...], file: _File, place: str, stated: Stated) -> Any:
    """By the first of these formats that knows the file, or by that of the tool that is stated. Rules of every reader hold here."""
    _check_one_object(file, place)
    chosen = next((candidate for candidate in formats if _is_chosen(candidate, file, stated.tool)), None)
    if chosen is None:
        raise _unproven(file.whole, place)
    text = file.text_for(chosen)
    if stated != Stated(stated.tool) and chosen.read_stated is None:
        raise UsageError(f"the output of {chosen.names[0]} names its unit and columns", "leave out --unit and --column")
    read = chosen.read(text, place) if chosen.read_stated is None else chosen.read_stated(text, place, stated)
    if contradiction := impossible(read):
        raise DataError(f"{contradiction}, which cannot be", "give the file as the tool wrote it", place=place)
    failed = [f"{place}:{number}: the tool says that it failed: {line!r}" for number, line in failures(file.whole)]
    problems = tuple(dict.fromkeys((*read.problems, *disorder(read, place), *failed)))
    read = replace(read, problems=problems, facts=(*read.facts, *_about(file, chosen, read.tool, stated.tool)))
    if not read.conditions.commands and (command := _command(file.whole, chosen)):
        read = replace(read, conditions=replace(read.conditions, commands=(command,)), facts=(("command", command), *read.facts))
    return replace(read, complete=not problems) if isinstance(read, Wakeups) else read


def _command(text: str, chosen: Format[Any]) -> str:
    """The command line that a prompt, `set -x` or a lab shows above the output; empty where there is none."""
    programs = {name.split()[-1] if "'s " in name else name.split()[0] for name in chosen.names}
    program = rf"(?:\S*/)?(?:{'|'.join(map(re.escape, programs))})"
    shown = re.search(rf"^(?:[^\n]{{0,120}}?(?:[#$>%'] ?|\S@\S+ )|\+ )?({program} (?:[^\n']* )?--?\w[^\n']*)", text, re.MULTILINE)
    return shown[1].strip()[:LONGEST_COMMAND] if shown else ""


def _is_chosen(file_format: Format[Any], file: _File, tool: str) -> bool:
    if not tool:
        return file_format.knows(file.text)
    return tool in file_format.names and (file_format.knows(text := file.text_for(file_format)) or file_format.may_be(text))


def _as_said(tool: str, file: _File, place: str) -> Format[Any]:
    """Raises DataError where the file cannot be of this tool."""
    candidates = [file_format for file_format in EVERY if tool in file_format.names]
    chosen = next((file_format for file_format in candidates if _is_chosen(file_format, file, tool)), None)
    if chosen is None:
        others = ", ".join(file_format.names[0] for file_format in formats_of(file))
        advice = f"it is of {others}: leave out --as" if others else f"give the whole output of {tool}"
        raise DataError(f"{place} is no output of {tool}, as it lacks {candidates[0].form}; {advice}")
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
    if runqlat.HISTOGRAM.search(text) and (shape := offer(text, place)) is not None:
        return DataError(
            f"{shape[0]}, without the line by which runqlat says that it traces run queue latency",
            f"use --as runqlat if it is of runqlat, else `{shape[1]}`",
            place=place,
        )
    if cyclictest.looks_like_rows(text):
        return DataError(
            "rows of numbers, without `# Histogram`, totals or a T: line of cyclictest",
            "give cyclictest's whole output, or use --as cyclictest",
            place=place,
        )
    return refusal(text, place)
