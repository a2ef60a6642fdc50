# SPDX-License-Identifier: BSD-3-Clause
"""Figures that cannot be right together, by rules for the output of every tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from latlab.benchmarks.model import Benchmark
from latlab.core.model.amounts import Amount
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import RowKind
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups

BELOW_ZERO = ("xenomai latency", "latmus", "stress-ng cyclic", "cyclictest", "cyclicdeadline", "signaltest", "recorder")
"""Tools that anticipate their timer, or print what a wrong clock makes of a latency."""
QUANTITY = re.compile(r"\b(?P<name>minimum|mean|average|maximum|largest|longest|(?P<percent>\d{1,3}(?:\.\d{1,4})?) %)")
LARGEST = ("maximum", "largest", "longest")
ROUNDED = 0.02
"""Tools round percentiles to their buckets, and means to whole units."""


def impossible(read: Wakeups | Benchmark) -> str:
    """The first contradiction between a minimum, an average and a maximum, or of a count; empty where there is none."""
    if isinstance(read, Benchmark):
        return next((sentence for low, high in _ordered(read.amounts) if (sentence := _reversed(low, high))), "")
    return next((sentence for cpu in read.cpus if cpu.got and (sentence := _of_row(read, cpu))), "")


def disorder(read: Wakeups | Benchmark, place: str) -> Iterator[str]:
    """A problem for percentiles that fall, and for threads that are not in the file although the tool numbers them."""
    if isinstance(read, Wakeups):
        threads = {cpu.number for cpu in read.cpus} if read.rows is RowKind.THREAD else set()
        if missing := sorted(set(range(max(threads, default=0))) - threads):
            yield f"{place}: thread {missing[0]} is not in it and thread {max(threads)} is, so it is a part of the run"
        return
    for low, high in _ordered(read.amounts, percentiles=True):
        if sentence := _reversed(low, high):
            yield f"{place}: {sentence}, so percentiles are out of order"


def _of_row(read: Wakeups, cpu: Distribution) -> str:
    where, unit = read.rows.named(cpu.number), read.resolution_ns
    low, average, high = cpu.minimum_ticks, cpu.average_ticks, cpu.maximum_ticks
    if low > high:
        return f"{where}: the minimum {significant(low / 1000)} µs is above the maximum {significant(high / 1000)} µs"
    if not low - unit <= average <= high + unit:
        bounds = f"{significant(low / 1000)} and {significant(high / 1000)} µs"
        return f"{where}: the average {significant(average / 1000)} µs is not between {bounds}"
    if low < 0 and read.tool not in BELOW_ZERO:
        return f"{where}: the minimum is {significant(low / 1000)} µs, and {read.tool} prints no latency below zero"
    conditions = read.conditions
    if conditions.duration_s and conditions.interval_ns and cpu.got > 1.01 * (conditions.duration_s + 1) * 1e9 / conditions.interval_ns + 1:
        return f"{where}: {cpu.got:,} wake-ups in {significant(conditions.duration_s)} s at {significant(conditions.interval_ns / 1000)} µs"
    return ""


def _ordered(amounts: tuple[Amount, ...], percentiles: bool = False) -> Iterator[tuple[Amount, Amount]]:
    """Pairs of quantities of one thing, of which the first can be no larger."""
    groups: dict[tuple[object, ...], list[tuple[float, Amount]]] = {}
    for amount in amounts:
        if match := QUANTITY.search(amount.name):
            is_of_mode = match["name"] not in ("mean", "average") if percentiles else match["percent"] is None
            rank = float(match["percent"] or 0) + 101 * (match["name"] in LARGEST) + 0.5 * (match["name"] in ("mean", "average"))
            stem = amount.name[: match.start()] + amount.name[match.end() :]
            if is_of_mode:
                groups.setdefault((amount.test, amount.metric, amount.core, stem, amount.over_s), []).append((rank, amount))
    for group in groups.values():
        ranked = [amount for _, amount in sorted(group, key=lambda pair: pair[0])]
        yield from pairwise(ranked)


def _reversed(low: Amount, high: Amount) -> str:
    if len(low.values) != len(high.values):
        return ""
    for before, after in zip(low.values, high.values, strict=True):
        if before > after + ROUNDED * abs(after):
            return f"{low.name} is {significant(before)} and {high.name} {significant(after)}"
    return ""
