# SPDX-License-Identifier: BSD-3-Clause
"""Xenomai's `latency` and EVL's `latmus`: a line a second (RTD), the whole (RTS), and with -h or -g its histogram (HSD), in microseconds
with three decimals. Releases before 2.6.2, and klatency, have no column of mode switches (msw). One thread, on the CPU that latmus names
and latency does not. Both count a latency below zero in the bucket of its absolute value."""

from __future__ import annotations

import re

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions
from latlab.core.model.distributions import Counts
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups, cpu_row

_US = r" *(-?\d{1,9}\.\d{3})"
START = re.compile(r"^(?:RTT\||RTH\||RTD\||RTS\|)", re.MULTILINE)
HEAD = re.compile(r"^RTT\| +\d+:\d\d:\d\d +\((?P<mode>[^,)]{1,60}), (?P<period>\d{1,9}) us period, (?P<rest>[^)]{0,120})\)", re.ASCII)
PRIORITY, CPU = re.compile(r"priority (\d{1,3})", re.ASCII), re.compile(r"CPU(\d{1,4})", re.ASCII)
SECOND = re.compile(rf"^RTD\|{_US}\|{_US}\|{_US}\| *(\d{{1,12}})\|(?: *\d{{1,9}}\|)?{_US}\|{_US}\s*$", re.ASCII)
WHOLE = re.compile(
    rf"^RTS\|{_US}\|{_US}\|{_US}\| *(\d{{1,12}})\|(?: *(?P<switches>\d{{1,9}})\|)? *(?P<h>\d{{1,6}}):(?P<min>\d\d):(?P<s>-?\d\d?)/",
    re.ASCII,
)
BUCKET = re.compile(r"^HSD\| *(?P<what>min|avg|max)\| *(?P<low>\d{1,7}) *- *\d{1,7} *\| *(?P<count>\d{1,15})\s*$", re.ASCII)
CELL = re.compile(r"^(\d{1,4})\+? (\d{1,15})\s*$", re.ASCII | re.MULTILINE)
PLOT = re.compile(r"^# test started on: ", re.MULTILINE)
PERIOD = re.compile(r"^(?:==|#) [Ss]ampling period: (\d{1,9}) (?:us|microseconds)", re.ASCII | re.MULTILINE)
MODE = re.compile(r"^== Test mode: (\S.{0,59}?)\s*$", re.MULTILINE)
PLACE = re.compile(r"^(?:warming up|running quietly for \d{1,12} seconds) on CPU(\d{1,4})", re.ASCII | re.MULTILINE)
NOT_ISOLATED = re.compile(r"on CPU\d+ \(not isolated\)|CPU\d+-noisol", re.ASCII)
REASON = "received signal|invoked syscall|triggered fault|affected by priority inversion|scheduler lock break"
STOPS = (
    (re.compile(rf"^(?P<why>{REASON}), aborting\.", re.MULTILINE), "latency stopped at a switch of mode (-b)"),
    (
        re.compile(r"^latency: (?P<why>received SIGDEBUG for unknown reason|process memory not locked|watchdog triggered.{0,40})", re.M),
        "latency stopped itself",
    ),
    (re.compile(r"^(?P<why>latency threshold is exceeded \([^)]{1,60}\))", re.M), "latmus stopped at its threshold (-A)"),
    (re.compile(r"^(?P<why>results look weird), aborting", re.M), "latmus stopped, as its figures contradict each other"),
)
UNRELIABLE = re.compile(r"^\*\*\* WARNING: unexpected switches to in-band mode", re.MULTILINE)
ROW = re.compile(r"^(?:RTD|RTS|HSD\| *avg)\|")
LINES = (*printed_lines("xenomai"), *(stop for stop, _ in STOPS))
OWN_LINES = printed_lines("xenomai-own")
"""Of the file for gnuplot, where it goes to the terminal (`-g -`)."""
NOT_NAMED = ("rows", "one thread, whose CPU the tool does not name")


def read_xenomai(text: str, place: str) -> Wakeups:
    """The line of the whole; of a run that was stopped, its lines of seconds."""
    seconds: list[tuple[float, ...]] = []
    whole: re.Match[str] | None = None
    head: re.Match[str] | None = None
    ended = 0
    rows: dict[str, dict[int, int]] = {"min": {}, "avg": _cells(text), "max": {}}
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
        elif match := BUCKET.match(line):
            rows[match["what"]].setdefault(int(match["low"]), int(match["count"]))
        elif ROW.match(line):
            problems.append(f"{place}:{number}: {line[:60]!r} is no whole line of latency or latmus; it is left out")
    stopped = next((f"{sentence}: {match['why']}" for stop, sentence in STOPS if (match := stop.search(text))), "")
    if whole is None and not seconds:
        none = f"{place}: no line RTD or RTS of latency or latmus; {stopped or 'it was stopped before it measured'}"
        raise DataError(problems[0] if problems else none)
    if whole is None:
        problems.append(f"{place}: no line RTS, {stopped or 'so the tool was killed'}; the figures are those of its {len(seconds)} seconds")
        low, high = min(second[0] for second in seconds), max(second[2] for second in seconds)
        average, overruns, ran_s = sum(second[1] for second in seconds) / len(seconds), int(seconds[-1][3]), len(seconds)
    else:
        low, average, high, overruns = float(whole[1]), float(whole[2]), float(whole[3]), int(whole[4])
        ran_s = int(whole["h"]) * 3600 + int(whole["min"]) * 60 + int(whole["s"])
    if low > high:
        raise DataError("the minimum is above the maximum; latency or latmus was stopped before its first second was over", place=place)
    if UNRELIABLE.search(text):
        problems.append(f"{place}: latmus calls its figures not reliable, as its thread was switched to in-band mode")
    title = PERIOD.search(text)
    period_us = int(head["period"] if head else title[1] if title else 0)
    due = ran_s * 1_000_000 // period_us if period_us else 0
    counted = sum(rows["avg"].values())
    if not period_us and not counted:
        problems.append(f"{place}: no line names the period, so the number of wake-ups is not known")
    left_out = _why_no_buckets(rows, low, high)
    counts, beyond = ((), 0) if left_out else _counts(rows["avg"], low, high)
    cpu = (CPU.search(head["rest"]) if head else None) or PLACE.search(text)
    cpu_wakeups = cpu_row(
        int(cpu[1]) if cpu else 0, counts, counted or max(due - overruns, 0),
        round(low * 1000), round(high * 1000), average * 1000, beyond, missed=overruns,
    )  # fmt: skip
    mode, switches = head or MODE.search(text), whole["switches"] if whole else None
    facts = [("mode", mode[1])] if mode else []
    facts += [] if cpu else [NOT_NAMED]
    facts += [("histogram", left_out)] if left_out else []
    facts += [] if counted or not period_us else [("wake-ups", "computed: duration / period - overruns")]
    facts += [("switches of mode", switches)] if switches and int(switches) else []
    facts += [("isolation", f"CPU {cpu[1]} was not isolated")] if cpu and NOT_ISOLATED.search(text) else []
    priority = PRIORITY.search(head["rest"]) if head else None
    interval = period_us * 1000 or None
    return Wakeups(
        "latmus" if cpu else "xenomai latency",
        interval,
        1000 if counts or beyond else 1,
        (cpu_wakeups,),
        complete=not problems,
        conditions=Conditions(interval_ns=interval, priority=int(priority[1]) if priority else None, duration_s=float(ran_s)),
        facts=tuple(facts),
        problems=tuple(problems),
        rows=RowKind.CPU if cpu else RowKind.THREAD,
    )


def _cells(text: str) -> dict[int, int]:
    """The rows that latmus prints for gnuplot (`-g -`). It adds one to every count except the last."""
    begin = PLOT.search(text)
    if begin is None:
        return {}
    cells = [(int(match[1]), int(match[2])) for match in CELL.finditer(text, begin.end())]
    return {name: count - (at < len(cells) - 1) for at, (name, count) in enumerate(cells) if count - (at < len(cells) - 1)}


def _why_no_buckets(rows: dict[str, dict[int, int]], low_us: float, high_us: float) -> str:
    """Why the buckets are not those of whole microseconds, or hold no latencies as they are."""
    if rows["avg"] and low_us <= -1:
        return f"left out: latencies below zero, to {significant(low_us)} µs, are in the buckets of their absolute values"
    wide = rows["min"] and min(rows["min"]) != int(abs(low_us)) and min(rows["min"]) != max(rows["avg"], default=0)
    if (rows["max"] and max(rows["max"]) > max(abs(low_us), abs(high_us))) or (low_us >= 0 and wide):
        extremes = f"{significant(low_us)} and {significant(high_us)} µs"
        return f"left out: the rows contradict the extremes of {extremes}, so a bucket is not 1 µs (-B)"
    return ""


def _counts(buckets: dict[int, int], low_us: float, high_us: float) -> tuple[Counts, int]:
    """Whole microseconds; what the last bucket holds may lie beyond it, and does where the maximum is. The first also holds what is less
    than 1 µs below zero."""
    if not buckets:
        return (), 0
    names = sorted(buckets)
    beyond = buckets[names.pop()] if high_us >= names[-1] + 1 else 0
    below_zero = low_us < 0 and names[:1] == [0]
    lows = [round(low_us * 1000) if below_zero and not name else name * 1000 for name in names]
    return tuple((low, (name + 1) * 1000, buckets[name]) for low, name in zip(lows, names, strict=True)), beyond
