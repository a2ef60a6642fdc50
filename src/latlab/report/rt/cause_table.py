# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by cause in one table: how much of the lateness each took, how many came late by it, where, and how often it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latlab.analysis.base.wording import count, said_blame
from latlab.analysis.wakeups.causes import CauseGroup, by_cause
from latlab.analysis.wakeups.rare import CauseEvents, rates_of
from latlab.analysis.wakeups.result import RtResult
from latlab.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.report.rt.rare import cause_of, once_in, sums_of
from latlab.report.rt.words import us
from latlab.report.table import Bar, Column, Ranged, Table, Value, figures, words

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
    has_parts, has_rates = any(one.ns for one in causes), any(one.events for one in causes)
    kept, rest = causes[:MOST_CAUSES], causes[MOST_CAUSES:]
    whole = sum(one.ns if has_parts else one.late for one in causes) or 1
    rows = [_row(result, one, (one.ns if has_parts else one.late) / whole, has_parts, has_rates, is_exact) for one in kept]
    if rest:
        rows.append(_rest(rest, sum(one.ns if has_parts else one.late for one in rest) / whole, has_parts, has_rates))
    columns = (
        *words("Cause"),
        *figures("Of all lateness" if has_parts else "Of all late", "Late wake-ups"),
        *words("On"),
        Column("Latest", unit="µs"),
        *((Column("Took", unit="µs"),) if has_parts else ()),
        *(figures("Once in") if has_rates else ()),
    )
    return Table(title, columns, tuple(rows), tuple(_notes(result, kept)))


def _causes(result: RtResult) -> list[_Cause]:
    """What took most first; where no parts are known, what made most wake-ups late."""
    groups = {group.name: group for group in by_cause(result.attributed or ())}
    events = {cause_of(one.blame): one for one in rates_of(result)}
    sums: dict[str, int] = {}
    for (_, name), ns in sums_of(result).items():
        sums[name] = sums.get(name, 0) + ns
    names = dict.fromkeys((*sums, *groups))
    found = [_Cause(name, sums.get(name, 0), groups.get(name), events.get(name)) for name in names]
    return sorted(found, key=lambda one: (one.name == cause_of(UNEXPLAINED), -one.ns, -one.late))


def _row(result: RtResult, one: _Cause, share: float, has_parts: bool, has_rates: bool, is_exact: bool) -> tuple[Value, ...]:
    group = one.group
    took: tuple[Value, ...] = (us(one.ns),) if has_parts else ()
    once: tuple[Value, ...] = (_once(result, one.events, is_exact),) if has_rates else ()
    where = ", ".join(f"CPU {cpu}" for cpu in group.cpus) if group else ""
    latest = us(group.latest_ns) if group else ""
    return short_name(one), Bar(f"{100 * share:.0f} %", share), str(one.late), where, latest, *took, *once


def _rest(rest: Sequence[_Cause], share: float, has_parts: bool, has_rates: bool) -> tuple[Value, ...]:
    latest = max((one.group.latest_ns for one in rest if one.group), default=None)
    took: tuple[Value, ...] = (us(sum(one.ns for one in rest)),) if has_parts else ()
    late = str(sum(one.late for one in rest))
    return count(len(rest), "other cause"), Bar(f"{100 * share:.0f} %", share), late, "", us(latest), *took, *(("",) if has_rates else ())


def _once(result: RtResult, events: CauseEvents | None, is_exact: bool) -> Ranged:
    if events is None:
        return Ranged("")
    said, low, high = once_in(result, events)
    return Ranged(said, "" if is_exact else f"{low} to {high}")


def _blame(one: _Cause) -> Blame | None:
    return one.group.entries[0].blame if one.group else None


def short_name(one: _Cause) -> str:
    """A task that ran on by its name alone: what that means stands below the table once."""
    blame = _blame(one)
    return f"{blame.name} *" if blame is not None and blame.kind is BlameKind.AWAY and blame.caller is None else one.name


def _notes(result: RtResult, kept: Sequence[_Cause]) -> Iterator[str]:
    if any(short_name(one).endswith(" *") for one in kept):
        yield RAN_ON
    yield from result.sight
    yield from _period(result)


def _period(result: RtResult) -> Iterator[str]:
    if result.period is not None:
        found = result.period
        yield f"{found.outliers} late wake-ups keep a period of {found.period_s:g} s (concentration {found.concentration:.2f} of 1)."
