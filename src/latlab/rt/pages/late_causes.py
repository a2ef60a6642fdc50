# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by cause in one table, and by world as the probe saw them from outside, with the other instruments beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.core.comparison.wording import count, said_blame
from latlab.core.model.blame import UNEXPLAINED, Blame
from latlab.core.model.enums import Metric
from latlab.core.report.table import Bar, Column, Ranged, Table, Value, figures, words
from latlab.rt.analysis.cause_rates import CauseEvents, rates_of
from latlab.rt.analysis.causes import CPU_AWAY, CauseGroup, by_cause, pooled, running_while_away
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.advice import advice_for
from latlab.rt.model.worlds import GuestWorlds
from latlab.rt.pages.cause_details import cause_of, once_in, sums_of
from latlab.rt.pages.words import late_in_period, us

MOST_CAUSES = 10
MOST_ADVICE = 3
NO_TRACE = "The firmware of this target has no trace that could be read, so nothing is attributed."
RAN_ON = "* No cause is proven: {} ran on, or the hypervisor had the CPU."
NO_CAUSES = (cause_of(CPU_AWAY), cause_of(UNEXPLAINED))
NOUNS = {Metric.CYCLE: "Overruns"}
UNIT = "µs"
COLUMNS = "In instructions; the last two are means. Left for Linux: the call came back because an interrupt of Linux was waiting."


@dataclass(frozen=True, slots=True)
class _Cause:
    """`ns` is what it took of all late wake-ups together, 0 where no parts are known; `group` the wake-ups blamed on it."""

    name: str
    ns: int
    group: CauseGroup | None
    events: CauseEvents | None

    @property
    def late(self) -> int:
        return len(self.group.entries) if self.group else 0


def cause_table(result: RtResult, is_exact: bool) -> Table:
    """Where parts are known the bar is the share of all lateness, else that of the late wake-ups."""
    noun = NOUNS.get(result.recorder.metric, "Late wake-ups") if result.recorder else "Late wake-ups"
    title = f"{noun} by cause"
    if result.attributed is None:
        late = len(result.recorder.outliers) if result.recorder else 0
        columns = (*words("Cause"), *figures(noun))
        return Table(title, columns, ((said_blame(UNEXPLAINED), str(late)),), (*(result.sight or (NO_TRACE,)), *_period(result)))
    causes = _causes(result)
    has_parts, has_rates = any(cause.ns for cause in causes), any(cause.events for cause in causes)
    columns = (
        *words("Cause"),
        *figures("Share of lateness" if has_parts else "Share of late", noun),
        *words("On"),
        Column("Latest", unit="µs"),
        *((Column("Total", unit="µs"),) if has_parts else ()),
        *(figures("Mean time between") if has_rates else ()),
    )
    rows = tuple(_rows(result, causes, has_parts, has_rates, is_exact))
    return Table(title, columns, rows, tuple(_notes(result, causes)))


def _rows(result: RtResult, causes: Sequence[_Cause], has_parts: bool, has_rates: bool, is_exact: bool) -> Iterator[tuple[Value, ...]]:
    """Causes, the rest of them in one row, and what no cause is proven of."""

    def size(cause: _Cause) -> int:
        return cause.ns if has_parts else cause.late

    whole = sum(map(size, causes)) or 1
    proven = [cause for cause in causes if cause.name not in NO_CAUSES]
    largest = sorted(proven, key=size, reverse=True)[:MOST_CAUSES]
    others = [cause for cause in proven if cause not in largest]
    for cause in proven:
        if cause in largest:
            yield _row(result, cause, size(cause) / whole, has_parts, has_rates, is_exact)
    if others:
        yield _rest(others, sum(map(size, others)) / whole, has_parts, has_rates)
    for cause in causes:
        if cause.name in NO_CAUSES:
            yield _row(result, cause, size(cause) / whole, has_parts, has_rates, is_exact)


def _causes(result: RtResult) -> list[_Cause]:
    """What took most first; where no parts are known, what made most wake-ups late. What no cause is proven of stands last."""
    one_away = pooled(result)
    groups = {group.name: group for group in by_cause(one_away.attributed or ())}
    events = {cause_of(cause_events.blame): cause_events for cause_events in rates_of(one_away)}
    sums: dict[str, int] = {}
    for (_, name), ns in sums_of(result).items():
        sums[name] = sums.get(name, 0) + ns
    names = dict.fromkeys((*sums, *groups))
    causes_found = [_Cause(name, sums.get(name, 0), groups.get(name), events.get(name)) for name in names]
    return sorted(causes_found, key=lambda cause: (_place(cause), -cause.ns, -cause.late))


def _place(cause: _Cause) -> int:
    """What is no cause has places below the causes, and is never one of the others."""
    return NO_CAUSES.index(cause.name) + 1 if cause.name in NO_CAUSES else 0


def _row(result: RtResult, cause: _Cause, share: float, has_parts: bool, has_rates: bool, is_exact: bool) -> tuple[Value, ...]:
    group = cause.group
    took: tuple[Value, ...] = (us(cause.ns),) if has_parts else ()
    once: tuple[Value, ...] = (_once(result, cause.events, is_exact),) if has_rates else ()
    where = ", ".join(f"CPU {cpu}" for cpu in group.cpus) if group else ""
    latest = us(group.latest_ns) if group else ""
    name = f"{cause.name} *" if cause.name == cause_of(CPU_AWAY) else cause.name
    return name, Bar(f"{100 * share:.0f} %", share), str(cause.late), where, latest, *took, *once


def _rest(other_causes: Sequence[_Cause], share: float, has_parts: bool, has_rates: bool) -> tuple[Value, ...]:
    latest = max((cause.group.latest_ns for cause in other_causes if cause.group), default=None)
    took: tuple[Value, ...] = (us(sum(cause.ns for cause in other_causes)),) if has_parts else ()
    late = str(sum(cause.late for cause in other_causes))
    return (
        count(len(other_causes), "other cause"),
        Bar(f"{100 * share:.0f} %", share),
        late,
        "",
        us(latest),
        *took,
        *(("",) if has_rates else ()),
    )


def _once(result: RtResult, events: CauseEvents | None, is_exact: bool) -> Ranged:
    if events is None:
        return Ranged("")
    estimate, low, high = once_in(result, events)
    return Ranged(estimate, "" if is_exact else f"{low} to {high}")


def _blame(cause: _Cause) -> Blame | None:
    return cause.group.entries[0].blame if cause.group else None


def _notes(result: RtResult, causes: Sequence[_Cause]) -> Iterator[str]:
    entries = result.attributed or ()
    if names := running_while_away(blame for entry in entries for blame in (entry.blame, *(part.blame for part in entry.parts))):
        yield RAN_ON.format(names)
    yield from _advice(result, causes)
    yield from result.sight
    yield from _period(result)


def _advice(result: RtResult, causes: Sequence[_Cause]) -> Iterator[str]:
    """One line for each of the causes that made most wake-ups late, with its source."""
    by_late = sorted(causes, key=lambda cause: -cause.late)
    blamed = [(blame, cause.name) for cause in by_late if (blame := _blame(cause)) is not None and cause.late]
    lines = [(name, advice) for blame, name in blamed if (advice := advice_for(result.advice, blame.kind, name)) is not None]
    once = {advice: name for name, advice in reversed(lines)}
    for advice, name in list(reversed(once.items()))[:MOST_ADVICE]:
        yield f"What to do about {name}: {advice.line} ({advice.source})."


def _period(result: RtResult) -> Iterator[str]:
    if result.period is not None:
        yield f"{late_in_period(result.period)} (concentration {result.period.concentration:.2f} of 1)."


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
    names = ("Calls", "left for Linux", "Min", "Median", "Max", "of that EL3", "secure world")
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
        Column("Total", unit=UNIT),
        Column("Share", unit="%"),
        Column("Max in one", unit=UNIT),
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
        "Time in firmware in the same late wake-ups by each instrument. The steal meter does not know when in a window it was, so "
        "its figures scatter with the interrupts. The firmware's trace lacks the entry into EL3, the exit, and calls that the "
        "vectors answer.",
    )
    return Table("The instruments compared", columns, rows, notes)
