# SPDX-License-Identifier: BSD-3-Clause
"""Xenomai's `latency` and EVL's `latmus`: a line a second (RTD), the whole (RTS), and with -h or -g its histogram (HSD), in microseconds
with three decimals. Releases before 2.6.2, and klatency, have no column of mode switches (msw). One thread, on the CPU that latmus names
and latency does not."""

from __future__ import annotations

import re

import numpy as np

from latlab.errors import DataError
from latlab.formats.line_account import second_run
from latlab.model.conditions import Conditions
from latlab.model.enums import RowKind
from latlab.model.wakeups import CpuWakeups, Histogram, Wakeups

_US = r" *(-?\d{1,9}\.\d{3})"
START = re.compile(r"^(?:RTT\||RTH\||RTD\||RTS\|)", re.MULTILINE)
HEAD = re.compile(r"^RTT\| +\d+:\d\d:\d\d +\((?P<mode>[^,)]{1,60}), (?P<period>\d{1,9}) us period, (?P<rest>[^)]{0,120})\)", re.ASCII)
PRIORITY, CPU = re.compile(r"priority (\d{1,3})", re.ASCII), re.compile(r"CPU(\d{1,4})", re.ASCII)
SECOND = re.compile(rf"^RTD\|{_US}\|{_US}\|{_US}\| *(\d{{1,12}})\|(?: *\d{{1,9}}\|)?{_US}\|{_US}\s*$", re.ASCII)
WHOLE = re.compile(rf"^RTS\|{_US}\|{_US}\|{_US}\| *(\d{{1,12}})\|(?: *\d{{1,9}}\|)? *(\d{{1,6}}):(\d\d):(\d\d)/", re.ASCII)
BUCKET = re.compile(r"^HSD\| *avg\| *(\d{1,7}) *- *(\d{1,7}) *\| *(\d{1,15})\s*$", re.ASCII)
ROW = re.compile(r"^(?:RTD|RTS|HSD\| *avg)\|")
LINES = (
    re.compile(r"^(?:RTT|RTH|RTD|RTS|HSD|HSH|HSS)\||^---\|-"),
    re.compile(r"^== (?:Sampling period|Test mode|All results)|^warming up"),
)
NOT_NAMED = ("rows", "one thread, whose CPU the tool does not name")


def read_xenomai(text: str, place: str) -> Wakeups:
    """The line of the whole; of a run that was stopped, its lines of seconds."""
    seconds: list[tuple[float, ...]] = []
    whole: re.Match[str] | None = None
    head: re.Match[str] | None = None
    ended = 0
    buckets: dict[int, int] = {}
    problems: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if match := HEAD.match(line):
            head = match
        elif match := SECOND.match(line):
            seconds.append((*(float(match[i]) for i in (1, 2, 3)), float(match[4])))
        elif match := WHOLE.match(line):
            if whole is not None:
                raise second_run(place, ended, number, "latency or latmus", "a second line RTS")
            whole, ended = match, number
        elif (match := BUCKET.match(line)) and int(match[1]) not in buckets:
            buckets[int(match[1])] = int(match[3])
        elif ROW.match(line):
            problems.append(f"{place}:{number}: {line[:60]!r} is no whole line of latency or latmus; it is left out")
    if whole is None and not seconds:
        raise DataError(problems[0] if problems else f"{place}: no line RTD or RTS of latency or latmus; it was stopped before it measured")
    if whole is None:
        problems.append(f"{place}: no line RTS, so the tool was killed; the figures are those of its {len(seconds)} seconds")
        low, high = min(one[0] for one in seconds), max(one[2] for one in seconds)
        average, overruns, ran_s = sum(one[1] for one in seconds) / len(seconds), int(seconds[-1][3]), len(seconds)
    else:
        low, average, high, overruns = float(whole[1]), float(whole[2]), float(whole[3]), int(whole[4])
        ran_s = int(whole[5]) * 3600 + int(whole[6]) * 60 + int(whole[7])
    period_us = int(head["period"]) if head else 0
    due = ran_s * 1_000_000 // period_us if period_us else 0
    histogram = _histogram(buckets, high)
    got = histogram.total if histogram else max(due - overruns, 0)
    cpu = CPU.search(head["rest"]) if head else None
    number, low_ns, high_ns = int(cpu[1]) if cpu else 0, round(low * 1000), round(high * 1000)
    one = CpuWakeups(number, histogram, got, None, overruns, low_ns, high_ns, average * 1000)
    facts = [("mode", head["mode"])] if head else []
    facts += [] if cpu else [NOT_NAMED]
    if histogram is None:
        facts.append(("wake-ups", "computed: duration / period - overruns"))
    priority = PRIORITY.search(head["rest"]) if head else None
    interval = period_us * 1000 or None
    return Wakeups(
        "latmus" if cpu else "xenomai latency",
        interval,
        1 if histogram is None else 1000,
        (one,),
        complete=not problems,
        conditions=Conditions(interval_ns=interval, priority=int(priority[1]) if priority else None, duration_s=float(ran_s)),
        facts=tuple(facts),
        problems=tuple(problems),
        rows=RowKind.CPU if cpu else RowKind.THREAD,
    )


def _histogram(buckets: dict[int, int], high_us: float) -> Histogram | None:
    """Whole microseconds; what the last bucket holds may lie beyond it, and does where the maximum is."""
    if not buckets:
        return None
    names = sorted(buckets)
    beyond = buckets[names.pop()] if high_us >= names[-1] + 1 else 0
    low = np.array(names, dtype=np.int64) * 1000
    return Histogram(low, low + 1000, np.array([buckets[name] for name in names], dtype=np.int64), beyond)
