# SPDX-License-Identifier: BSD-3-Clause
"""What other tools print, in one table: how each is recognised by what stands in it, who reads it, and what a refusal and docs/formats.md
name. The first that knows a text reads it."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from latlab.errors import DataError
from latlab.formats.amounts import google_benchmark, hackbench, hwlatdetect, latency_measure, perf_sched, schbench, thread_metric
from latlab.formats.amounts.osnoise_top import is_osnoise_top, read_osnoise_top
from latlab.formats.amounts.recording import is_recording_csv, load_json, read_recording_csv, read_twister_json
from latlab.formats.console_text import ConsoleText, console_text
from latlab.formats.wakeups import cyclictest, oslat, pairs, rteval, runqlat, stress_ng, xenomai
from latlab.formats.wakeups.jitter_samples import looks_like_samples, read_samples
from latlab.formats.wakeups.recorder import MAGIC, read_record
from latlab.formats.wakeups.rtla import OSNOISE, TIMERLAT, read_osnoise, read_timerlat
from latlab.formats.wakeups.rtla_top import is_timerlat_top, read_timerlat_top
from latlab.formats.wakeups.sched_events import DAT_MAGIC, is_sched_trace, read_sched_events
from latlab.formats.wakeups.thread_lines import read_thread_lines, tool_of
from latlab.formats.wakeups.wakeup_json import read_json
from latlab.model.benchmarks import Benchmark
from latlab.model.wakeups import Wakeups

Read = TypeVar("Read")
LOAD = ("hackbench",)
BEYOND = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Format(Generic[Read]):
    """`names` are the tools that print it."""

    names: tuple[str, ...]
    knows: Callable[[str], bool]
    read: Callable[[str, str], Read]


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
    Format(("twister.json",), _json("testsuites"), _twister),
    Format(("Google Benchmark",), _json("benchmarks"), _google),
    Format(("recording.csv",), is_recording_csv, read_recording_csv),
    Format(("rtla osnoise top", "rtla hwnoise"), is_osnoise_top, read_osnoise_top),
    Format(("hwlatdetect",), _has(hwlatdetect.START), hwlatdetect.read_hwlatdetect),
    Format(("latency_measure",), _has(latency_measure.START), latency_measure.read_latency_measure),
    Format(("Thread-Metric",), _has(thread_metric.START), thread_metric.read_thread_metric),
    Format(("perf sched latency",), _has(perf_sched.START), perf_sched.read_perf_sched),
    Format(("schbench",), _has(schbench.START), schbench.read_schbench),
    Format(("hackbench",), _has(hackbench.START), hackbench.read_hackbench),
)
WAKEUPS: tuple[Format[Wakeups], ...] = (
    Format(("jitterdebugger",), _begins("{"), read_json),
    Format(("rteval",), rteval.is_rteval, rteval.read_rteval),
    Format(("rtla timerlat hist",), _line(TIMERLAT), read_timerlat),
    Format(("rtla osnoise hist",), _line(OSNOISE), read_osnoise),
    Format(("rtla timerlat top",), is_timerlat_top, read_timerlat_top),
    Format(("trace-cmd report",), is_sched_trace, read_sched_events),
    Format(("oslat",), _has(oslat.START), oslat.read_oslat),
    Format(("Xenomai's latency", "latmus"), _has(xenomai.START), xenomai.read_xenomai),
    Format(("stress-ng --cyclic",), _has(stress_ng.START), stress_ng.read_stress_ng),
    Format(("runqlat",), _has(runqlat.START), runqlat.read_runqlat),
    Format(pairs.PROGRAMS, _has(pairs.START), pairs.read_pairs),
    Format(("cyclicdeadline", "signaltest"), lambda text: tool_of(text) is not None, read_thread_lines),
    Format(("cyclictest",), cyclictest.is_cyclictest, cyclictest.read_cyclictest),
)


def known_names() -> tuple[str, ...]:
    """Every tool whose output is read."""
    return tuple(name for formats in (WAKEUPS, AMOUNTS) for one in formats for name in one.names)


def refusal(place: str) -> DataError:
    return DataError(f"{place}: no output of a tool that is read; give the output of {', '.join(known_names())}")


def first_knowing(formats: tuple[Format[Read], ...], text: str) -> Format[Read] | None:
    return next((one for one in formats if one.knows(text)), None)


def guarded(read: Callable[[], Read], place: str) -> Read:
    """A reader's answer. Whatever a damaged file makes it stumble over, the file is to blame and not latlab."""
    try:
        return read()
    except BEYOND as error:
        said = " ".join(str(error).split())[:80]
        raise DataError(f"{place}: it cannot be read ({said}); the file is damaged") from error


def holds_amounts(data: bytes, place: str) -> bool:
    """Whether the file is for a reader of amounts. Raises DataError if it has the measurements of two tools: neither may be lost
    silently. hackbench beside a measurement is its load."""
    if _is_binary(data):
        return False
    text = console_text(data).text
    amounts, wakeups = first_knowing(AMOUNTS, text), first_knowing(WAKEUPS, text)
    if amounts is None or wakeups is None or text.lstrip().startswith("{"):
        return amounts is not None
    if amounts.names == LOAD:
        return False
    both = f"{amounts.names[0]} and {wakeups.names[0]}"
    raise DataError(f"{place}: it holds the output of two tools, {both}; put each into a file of its own and import both")


def read_amounts(data: bytes, place: str) -> Benchmark:
    """What the file says. Raises DataError with one sentence where it is of none of these tools or nothing can be read."""
    console = console_text(data)
    text = console.text
    if not text.strip():
        raise DataError(f"{place}: empty; the tool was killed before it printed")
    _check_one_object(text, place)
    found = first_knowing(AMOUNTS, text)
    if found is None:
        raise refusal(place)
    read = guarded(lambda: found.read(text, place), place)
    return replace(read, facts=(*read.facts, *_removed(console)))


def read_wakeups(data: bytes, place: str, duration_s: float | None = None, nanoseconds: bool = False) -> Wakeups:
    """Wake-ups or stalls. Raises DataError with one sentence where the file is of no tool that is read or nothing can be read."""
    if not data.strip():
        raise DataError(f"{place}: empty; the tool was killed before it printed")
    found = guarded(lambda: _read(data, place, duration_s, nanoseconds), place)
    if not found.cpus:
        raise DataError(f"{place}: no CPU in it; the tool was stopped before it measured")
    return found


def _read(data: bytes, place: str, duration_s: float | None, nanoseconds: bool) -> Wakeups:
    if data.startswith(MAGIC):
        return read_record(data, place)
    if data.startswith(DAT_MAGIC):
        raise DataError(f"{place}: a file of trace-cmd; name what `trace-cmd report -t` prints of it, or keep it with `latlab import-rt`")
    if looks_like_samples(data):
        return read_samples(data, place, nanoseconds)
    console = console_text(data)
    text = console.text
    _check_one_object(text, place)
    found = first_knowing(WAKEUPS, text)
    if found is None:
        raise _unproven(text, place)
    read = found.read(text, place)
    if found.read is cyclictest.read_cyclictest:
        read = cyclictest.read_cyclictest(text, place, duration_s, nanoseconds)
    return replace(read, facts=(*read.facts, *_removed(console), *_load(text)))


def _is_binary(data: bytes) -> bool:
    return data.startswith((MAGIC, DAT_MAGIC)) or looks_like_samples(data)


def _removed(console: ConsoleText) -> tuple[tuple[str, str], ...]:
    return (("removed from each line", ", ".join(console.removed)),) if console.removed else ()


def _load(text: str) -> tuple[tuple[str, str], ...]:
    return (("load", "hackbench, whose lines are in the same file; its time is not imported"),) if _has(hackbench.START)(text) else ()


def _check_one_object(text: str, place: str) -> None:
    """Log collectors write an object a line: of two none is the file's."""
    if not text.lstrip().startswith("{"):
        return
    begun = len(text) - len(text.lstrip())
    end = 0
    with suppress(ValueError, RecursionError):
        _, end = json.JSONDecoder().raw_decode(text, begun)
    rest = text[end:].lstrip()
    if end and rest.startswith("{"):
        line = text.count("\n", 0, len(text) - len(rest)) + 1
        raise DataError(f"{place}:{line}: a second JSON object begins; put each object into a file of its own")


def _unproven(text: str, place: str) -> DataError:
    """A form that several tools print is no proof of one."""
    if runqlat.HISTOGRAM.search(text):
        return DataError(
            f"{place}: a histogram of bcc, without the line by which runqlat says that it traces run queue latency; "
            "give runqlat's whole output"
        )
    if cyclictest.looks_like_rows(text):
        return DataError(
            f"{place}: rows of numbers, without `# Histogram`, totals or a T: line of cyclictest; give cyclictest's whole output"
        )
    return refusal(place)
