# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by world, as the probe saw them from outside, and the other instruments beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from latlab.core.report.table import Column, Table, figures, words
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.worlds import GuestWorlds
from latlab.rt.pages.words import us

UNIT = "µs"
COLUMNS = "In instructions; the last two are means. Left for Linux: the call came back because an interrupt of Linux was waiting."


def by_world(result: RtResult) -> list[Table]:
    """Nothing where no probe watched."""
    if result.worlds is None:
        return []
    tables = [_calls(result.worlds)]
    if result.worlds.late:
        tables.append(_shares(result.worlds))
    if result.beside:
        tables.append(_beside(result))
    return tables


def _calls(worlds: GuestWorlds) -> Table:
    rows = tuple(
        (kind.name, kind.calls, kind.yielded, kind.least, kind.median, kind.most, kind.in_el3 // kind.calls, kind.in_secure // kind.calls)
        for kind in worlds.kinds
    )
    names = ("Calls", "left for Linux", "Least", "Median", "Most", "of that EL3", "secure world")
    return Table(
        "Calls into the firmware during the measurement, by the probe",
        (*words("Call"), *figures(*names)),
        rows,
        (COLUMNS, *timer_sentences(worlds)),
    )


def timer_sentences(worlds: GuestWorlds) -> Iterator[str]:
    """Whether a timer of Linux can end a call, by what the core's own registers said."""
    yielding = [kind for kind in worlds.kinds if kind.in_secure]
    calls, yielded = sum(kind.calls for kind in yielding), sum(kind.yielded for kind in yielding)
    if not worlds.stays or not calls:
        return
    if worlds.stays_without_timer == worlds.stays:
        yield (
            f"Linux's timer was off in all {worlds.stays} stays in the secure world, {worlds.secure:,} instructions together. EL3 saves "
            f"its registers on entry, so the timer can end no call: {yielded} of {calls} came back for an interrupt. TF-A does this by "
            "NS_TIMER_SWITCH=1, which it sets for OP-TEE."
        )
    elif not worlds.stays_without_timer:
        yield (
            f"Linux's timer stayed on in all {worlds.stays} stays in the secure world, so it can end a call that takes interrupts. "
            f"{yielded} of {calls} calls came back for an interrupt."
        )
    else:
        yield f"Linux's timer was off in {worlds.stays_without_timer} of {worlds.stays} stays in the secure world."


def _shares(worlds: GuestWorlds) -> Table:
    together: Counter[tuple[str, str]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    most: dict[tuple[str, str], int] = defaultdict(int)
    for late in worlds.late:
        for share in late.shares:
            key = share.world, share.call
            together[key] += share.ns
            counts[key] += 1
            most[key] = max(most[key], share.ns)
    total = together.total()
    rows = tuple(
        (world, call or "-", str(counts[world, call]), us(ns), f"{100 * ns / total:.1f}", us(most[world, call]))
        for (world, call), ns in together.most_common()
    )
    notes = [f"Of {len(worlds.late)} late wake-ups; their parts add up to all of their {us(total)} µs."]
    if worlds.untimed:
        notes.append(
            f"{worlds.untimed} more are left out, because the probe's clock is unknown there: not Linux's timer woke the core before."
        )
    columns = (
        *words("World", "in the call"),
        *figures("Late wake-ups"),
        Column("Together", unit=UNIT),
        Column("Share", unit="%"),
        Column("Most in one", unit=UNIT),
    )
    return Table("Parts of the late wake-ups, by world", columns, rows, tuple(notes))


def _beside(result: RtResult) -> Table:
    rows = tuple(
        (
            str(comparison.instrument), str(comparison.wakeups), us(comparison.told_ns), us(comparison.probe_ns),
            *(f"{ns / 1000:+.3f}" for ns in (comparison.median_ns, comparison.low_ns, comparison.high_ns, comparison.largest_ns)),
        )
        for comparison in result.beside
    )  # fmt: skip
    columns = (
        *words("Instrument"),
        *figures("Late wake-ups"),
        *figures("Instrument", "probe", "Difference: median", "5 %", "95 %", "most", unit=UNIT),
    )
    notes = (
        "Steal time of the same late wake-ups by each instrument. The steal meter does not know the time of steal in a window, so "
        "its figures scatter with the interrupts. The firmware's trace lacks the entry into EL3, the exit, and calls that the "
        "vectors answer.",
    )
    return Table("The instruments compared", columns, rows, notes)
