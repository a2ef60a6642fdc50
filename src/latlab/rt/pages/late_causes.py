# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by cause in one table: how much of the lateness each took, how many came late by it, where, and how often it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.core.comparison.wording import count, said_blame
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.report.table import Bar, Column, Ranged, Table, Value, figures, words
from latlab.rt.analysis.cause_rates import CauseEvents, rates_of
from latlab.rt.analysis.causes import CauseGroup, by_cause
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages.cause_details import cause_of, once_in, sums_of
from latlab.rt.pages.words import us

MOST_CAUSES = 12
NO_TRACE = "The firmware of this target has no trace that could be read, so nothing is attributed."
RAN_ON = "* It ran on, or the hypervisor had the CPU."


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
    title = "Late wake-ups by cause"
    if result.attributed is None:
        late = len(result.recorder.outliers) if result.recorder else 0
        columns = (*words("Cause"), *figures("Late wake-ups"))
        return Table(title, columns, ((said_blame(UNEXPLAINED), str(late)),), (NO_TRACE, *_period(result)))
    causes = _causes(result)
    has_parts, has_rates = any(cause.ns for cause in causes), any(cause.events for cause in causes)
    shown_causes, other_causes = causes[:MOST_CAUSES], causes[MOST_CAUSES:]
    whole = sum(cause.ns if has_parts else cause.late for cause in causes) or 1
    rows = [_row(result, cause, (cause.ns if has_parts else cause.late) / whole, has_parts, has_rates, is_exact) for cause in shown_causes]
    if other_causes:
        rows.append(_rest(other_causes, sum(cause.ns if has_parts else cause.late for cause in other_causes) / whole, has_parts, has_rates))
    columns = (
        *words("Cause"),
        *figures("Of all lateness" if has_parts else "Of all late", "Late wake-ups"),
        *words("On"),
        Column("Latest", unit="µs"),
        *((Column("Took", unit="µs"),) if has_parts else ()),
        *(figures("Once in") if has_rates else ()),
    )
    return Table(title, columns, tuple(rows), tuple(_notes(result, shown_causes)))


def _causes(result: RtResult) -> list[_Cause]:
    """What took most first; where no parts are known, what made most wake-ups late."""
    groups = {group.name: group for group in by_cause(result.attributed or ())}
    events = {cause_of(cause_events.blame): cause_events for cause_events in rates_of(result)}
    sums: dict[str, int] = {}
    for (_, name), ns in sums_of(result).items():
        sums[name] = sums.get(name, 0) + ns
    names = dict.fromkeys((*sums, *groups))
    causes_found = [_Cause(name, sums.get(name, 0), groups.get(name), events.get(name)) for name in names]
    return sorted(causes_found, key=lambda cause: (cause.name == cause_of(UNEXPLAINED), -cause.ns, -cause.late))


def _row(result: RtResult, cause: _Cause, share: float, has_parts: bool, has_rates: bool, is_exact: bool) -> tuple[Value, ...]:
    group = cause.group
    took: tuple[Value, ...] = (us(cause.ns),) if has_parts else ()
    once: tuple[Value, ...] = (_once(result, cause.events, is_exact),) if has_rates else ()
    where = ", ".join(f"CPU {cpu}" for cpu in group.cpus) if group else ""
    latest = us(group.latest_ns) if group else ""
    return short_name(cause), Bar(f"{100 * share:.0f} %", share), str(cause.late), where, latest, *took, *once


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


def short_name(cause: _Cause) -> str:
    """A task that ran on by its name alone: what that means stands below the table once."""
    blame = _blame(cause)
    return f"{blame.name} *" if blame is not None and blame.kind is BlameKind.AWAY and blame.caller is None else cause.name


def _notes(result: RtResult, shown_causes: Sequence[_Cause]) -> Iterator[str]:
    if any(short_name(cause).endswith(" *") for cause in shown_causes):
        yield RAN_ON
    yield from result.sight
    yield from _period(result)


def _period(result: RtResult) -> Iterator[str]:
    if result.period is not None:
        period = result.period
        yield f"{period.outliers} late wake-ups have a period of {period.period_s:g} s (concentration {period.concentration:.2f} of 1)."
