# SPDX-License-Identifier: BSD-3-Clause
"""What other tools print, in one table: how each is recognised by what stands in it, who reads it, and what a refusal and docs/formats.md
name. The first that knows a text reads it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from latlab.errors import DataError
from latlab.formats.amounts import google_benchmark, hackbench, hwlatdetect, latency_measure, perf_sched, schbench, thread_metric
from latlab.formats.amounts.osnoise_top import is_osnoise_top, read_osnoise_top
from latlab.formats.amounts.recording import is_recording_csv, load_json, read_recording_csv, read_twister_json
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
BEYOND = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Format(Generic[Read]):
    """`names` are the tools that print it."""

    names: tuple[str, ...]
    knows: Callable[[str], bool]
    read: Callable[[str, str], Read]


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


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
    Format(("rtla timerlat hist",), _begins(TIMERLAT), read_timerlat),
    Format(("rtla osnoise hist",), _begins(OSNOISE), read_osnoise),
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
    return DataError(f"{place}: nothing that is read stands in it; name the output of {', '.join(known_names())}")


def first_knowing(formats: tuple[Format[Read], ...], text: str) -> Format[Read] | None:
    return next((one for one in formats if one.knows(text)), None)


def guarded(read: Callable[[], Read], place: str) -> Read:
    """A reader's answer. Whatever a damaged file makes it stumble over, the file is to blame and not latlab."""
    try:
        return read()
    except BEYOND as error:
        said = " ".join(str(error).split())[:80]
        raise DataError(f"{place}: it cannot be read ({said}); the file is damaged") from error


def holds_amounts(data: bytes) -> bool:
    """Whether one of the readers of amounts knows the file."""
    return first_knowing(AMOUNTS, data.decode("utf-8", "replace")) is not None


def read_amounts(data: bytes, place: str) -> Benchmark:
    """What the file says. Raises DataError with one sentence where it is of none of these tools or nothing can be read."""
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise DataError(f"{place}: empty; the tool was killed before it printed")
    found = first_knowing(AMOUNTS, text)
    if found is None:
        raise refusal(place)
    return guarded(lambda: found.read(text, place), place)


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
    text = data.decode("utf-8", "replace")
    found = first_knowing(WAKEUPS, text)
    if found is None:
        raise refusal(place)
    if found.read is cyclictest.read_cyclictest:
        return cyclictest.read_cyclictest(text, place, duration_s, nanoseconds)
    return found.read(text, place)
