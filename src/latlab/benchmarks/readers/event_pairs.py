# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's trace as text, by pairs of its events: an SMC or a call of OP-TEE from its begin to its end, an idle state from its entry to
its exit. What the scheduler's events say is read elsewhere."""

from __future__ import annotations

import re
from collections import defaultdict

from latlab.benchmarks.model import Benchmark
from latlab.benchmarks.readers.rtla_output import LOST
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.line_account import printed_lines, second_run

TOOL = "event pairs"
LINE = re.compile(
    r"^(?P<task>.*)-(?P<pid>\d{1,9}) +(?:\( *[-\d]+\) +)?\[(?P<cpu>\d{1,5})\] +(?:\S{4,8} +)?(?P<s>\d{1,9})\.(?P<fraction>\d{6,9}): +"
    r"(?:\w+:)?(?P<event>\w{1,60}): *(?P<rest>.*)$",
    re.ASCII,
)
ENDS = {"_begin": "_end", "_enter": "_exit", "_entry": "_exit", "_start": "_done"}
PAIRED = re.compile(r"\b(?:optee_invoke_fn_begin|\w*smc\w*_(?:begin|enter|entry|start)|psci_domain_idle_enter|cpu_idle): ")
IDLE, IDLE_LEFT = "cpu_idle", "4294967295"
STATE = re.compile(r"state=(\d{1,10})", re.ASCII)
IDENTITY = re.compile(r"^(?:param=\S+ )?\(?((?:0x)?[0-9a-f]{8}|\w+=\w+)\b", re.ASCII)
SCHEDULER = re.compile(r": +sched_(?:switch|waking|wakeup): ")
BACKWARDS_S = 1.0
LINES = (LINE, LOST, *printed_lines("event_pairs"))


def is_of_pairs(text: str) -> bool:
    """Whether it has the first event of a pair, and none of the scheduler."""
    return SCHEDULER.search(text) is None and any(PAIRED.search(line) for line in text.split("\n") if LINE.match(line))


def read_event_pairs(text: str, place: str) -> Benchmark:
    """For each pair and CPU the durations in their order, and those between the end of one and the begin of the next."""
    begun: dict[tuple[str, str], tuple[float, str]] = {}
    ended: dict[tuple[str, str], float] = {}
    spans: dict[tuple[str, int], list[float]] = defaultdict(list)
    problems: list[str] = []
    last, first_line = 0.0, 0
    for number, line in enumerate(text.split("\n"), 1):
        if LOST.search(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r}: the kernel's buffer was too small; open pairs are left out")
            begun.clear()
        if (match := LINE.match(line)) is None:
            continue
        now, cpu = float(f"{match['s']}.{match['fraction']}"), int(match["cpu"])
        if now < last - BACKWARDS_S:
            raise second_run(place, first_line, number, "the kernel's trace", "the time falls")
        last, first_line = max(now, last), first_line or number
        stem, is_begin, name = _event(match)
        key = (stem, match["pid"] if stem != IDLE else str(cpu))
        if is_begin:
            if key in ended:
                spans[f"between two {stem}", cpu].append((now - ended[key]) * 1e9)
            begun[key] = now, name
        elif stem and key in begun and begun[key][0] <= now:
            start, name = begun.pop(key)
            ended[key] = now
            spans[name, cpu].append((now - start) * 1e9)
    if not spans:
        raise DataError("no pair of events, such as optee_invoke_fn_begin and optee_invoke_fn_end", "record both", place=place)
    amounts = tuple(
        Amount(TOOL, Metric.DURATION, name, CoreId(0, cpu), tuple(round(value) for value in values))
        for (name, cpu), values in spans.items()
    )
    return Benchmark(TOOL, amounts, problems=tuple(problems))


def _event(match: re.Match[str]) -> tuple[str, bool, str]:
    """What an event is of, whether it begins, and the name of the pair. The first is empty of an event without a pair."""
    event, fields = match["event"], match["rest"]
    if event == IDLE and (state := STATE.search(fields)):
        return IDLE, state[1] != IDLE_LEFT, f"idle state {state[1]}"
    stem = next((event.removesuffix(end) for pair in ENDS.items() for end in pair if event.endswith(end)), "")
    identity = IDENTITY.match(fields)
    return stem, event.endswith(tuple(ENDS)), f"{stem} {identity[1]}" if identity else stem
