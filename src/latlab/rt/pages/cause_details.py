# SPDX-License-Identifier: BSD-3-Clause
"""What is rare and late, by cause: how often it comes, how long it takes to see that change, and who took each CPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from latlab.core.comparison.wording import said_blame, said_duration
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.colours import EARLIER, NOTHING_KNOWN, of_kinds
from latlab.core.report.table import Column, Table, figures, prose, words
from latlab.core.report.vega import alt
from latlab.core.shown import significant
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.cause_rates import FACTOR, CauseEvents, Rate, rates_of, wakeups_to_see
from latlab.rt.analysis.causes import RING_OVERWRITTEN, cause_name, pooled
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages.words import us

WORST = 10
MOST_CAUSES = 5
MOST_PARTS = 8
"""Of a late wake-up: the largest ones by name, the others together."""
OTHER = "other causes"
ROW_PX = 24


def rates(result: RtResult, is_exact: bool) -> list[Table]:
    """How often each cause comes, by event. On the instruction clock there is nothing to be uncertain of."""
    causes = rates_of(pooled(result))
    recorder = result.recorder
    if not causes or recorder is None:
        return []
    interval_ns = recorder.interval_ns
    rows = tuple(_rate_row(cause, interval_ns, len(recorder.cpus), is_exact) for cause in causes)
    columns = (*words("Cause"), *figures("Events", "Late wake-ups"), Column("Latest", unit="µs"), *figures("Mean time between"))
    if not is_exact:
        columns = (*columns, *figures("95 % interval", "To detect twice the rate"))
    note = "Consecutive late wake-ups with one cause are one event."
    return [Table("How often each cause comes", columns, rows, (note,) if is_exact else (note, _NOTE))]


_NOTE = (
    "Intervals are exact for independent events, and wider for bursts. The last column is the duration of each of two runs that detects "
    "twice the rate with 90 % power, at a significance level of 5 %."
)


def _rate_row(cause: CauseEvents, interval_ns: int | None, cpus: int, is_exact: bool) -> tuple[str, ...]:
    rate = cause.rate
    shown = (
        cause_of(cause.blame),
        str(rate.events),
        str(cause.wakeups),
        us(cause.latest),
        _once(rate, rate.events, interval_ns, cpus),
    )
    if is_exact:
        return shown
    needed = wakeups_to_see(rate, FACTOR)
    ends = f"{_once(rate, rate.high, interval_ns, cpus)} to {_once(rate, rate.low, interval_ns, cpus)}"
    return (*shown, ends, "-" if needed is None else _long(needed, interval_ns, cpus))


def _once(rate: Rate, events: float, interval_ns: int | None, cpus: int) -> str:
    return "never" if not events else _long(rate.once_in(events), interval_ns, cpus)


def _long(wakeups: float, interval_ns: int | None, cpus: int) -> str:
    """So many wake-ups as a time where it is known how many come in a second."""
    if not interval_ns:
        return f"{wakeups:,.0f} wake-ups"
    seconds = wakeups * interval_ns / 1e9 / cpus
    return (
        f"{significant(1000 * seconds, 3)} ms"
        if seconds < 1
        else f"{significant(seconds, 2)} s"
        if seconds < 10
        else said_duration(seconds)
    )


def once_in(result: RtResult, cause: CauseEvents) -> tuple[str, str, str]:
    """How long it takes until a cause comes once: the estimate and the ends of its 95 % interval."""
    recorder = result.recorder
    interval_ns, cpus = (recorder.interval_ns, len(recorder.cpus)) if recorder else (None, 1)
    estimate, shortest, longest = (
        _once(cause.rate, events, interval_ns, cpus) for events in (cause.rate.events, cause.rate.high, cause.rate.low)
    )
    return estimate, shortest, longest


def cause_of(blame: Blame) -> str:
    return RING_OVERWRITTEN if blame == UNTRACED else said_blame(blame)


def took(result: RtResult) -> list[Table]:
    """The sum of all late wake-ups' parts, by cause and CPU; nothing where the kernel's events were not kept."""
    sums = sums_of(result)
    if not sums:
        return []
    cpus = sorted({cpu for cpu, _ in sums})
    causes = _by_size(sums)
    rows = tuple(
        (cause, *(us(sums.get((cpu, cause), 0)) for cpu in cpus), us(sum(sums.get((cpu, cause), 0) for cpu in cpus))) for cause in causes
    )
    columns = (*words("Cause"), *figures(*(f"CPU {cpu}" for cpu in cpus), "Total", unit="µs"))
    late = sum(bool(entry.parts) for entry in result.attributed or ())
    note = f"The parts of {late} late wake-ups, from the moment when each was due to the moment when its thread ran."
    return [Table("Who took my core", columns, rows, (note,))]


def worst(result: RtResult) -> list[Table]:
    """The latest, the latest first, with what each is made of."""
    entries = _worst(result)
    if not entries or result.recorder is None:
        return []
    start = result.recorder.start_ns or 0
    rows = tuple(
        (f"{(entry.outlier.wake_ns - start) / 1e9:.6f}", str(entry.outlier.cpu), us(entry.outlier.late_ns), _said_parts(entry))
        for entry in entries
    )
    columns = (Column("At", unit="s"), *figures("CPU"), Column("Late", unit="µs"), prose("Made of (µs)"))
    return [Table(f"The worst {len(entries)}, part by part", columns, rows)]


def colours_of(result: RtResult) -> dict[str, str]:
    """The causes that took most, each with its colour in every chart of the page; all others share one."""
    blamed = sorted({cause_name(entry) for entry in pooled(result).attributed or ()})
    causes = [cause for cause in dict.fromkeys((*_by_size(sums_of(result)), *blamed)) if cause != cause_of(UNEXPLAINED)]
    few = causes if len(causes) <= MOST_CAUSES + 1 else causes[:MOST_CAUSES]
    return {**dict(zip(few, of_kinds(few), strict=True)), cause_of(UNEXPLAINED): NOTHING_KNOWN, OTHER: EARLIER}


def charts(result: RtResult) -> list[Chart]:
    """Who took each CPU, and the worst, as bars of their parts."""
    sums = sums_of(result)
    if not sums:
        return []
    causes, colours = _by_size(sums), colours_of(result)
    shown = [cause for cause in causes if cause in colours]
    shown += [OTHER] if len(shown) < len(causes) else []
    by_cpu = [
        {"row": f"CPU {cpu}", "us": ns / 1000, "cause": cause if cause in shown else OTHER, "order": causes.index(cause)}
        for (cpu, cause), ns in sums.items()
    ]
    latest = [
        {
            "row": f"{number}. CPU {entry.outlier.cpu}, {us(entry.outlier.late_ns)}",
            "us": part.ns / 1000,
            "cause": name if (name := cause_of(part.blame)) in shown else OTHER,
            "order": causes.index(name),
        }
        for number, entry in enumerate(_worst(pooled(result)), 1)
        for part in entry.parts
    ]
    colours_shown = {cause: colours[cause] for cause in shown}
    return [
        bars("Who took my core", "What the late wake-ups of each CPU are made of, together.", by_cpu, colours_shown),
        bars("The worst, part by part", "Each bar is one late wake-up, in µs, the latest first.", latest, colours_shown),
    ]


def bars(title: str, note: str, rows: Sequence[Mapping[str, Any]], colours: Mapping[str, str]) -> Chart:
    names = list(dict.fromkeys(row["row"] for row in rows))
    chart = (
        alt.Chart(alt.InlineData(values=list(rows)), width=WIDE_PX - 180, height=ROW_PX * len(names))
        .mark_bar()
        .encode(
            x=alt.X("us:Q", title="µs", stack="zero"),
            y=alt.Y("row:N", title=None, sort=names, axis=alt.Axis(labelLimit=200)),
            color=alt.Color(
                "cause:N",
                title=None,
                scale=alt.Scale(domain=list(colours), range=list(colours.values())),
                legend=alt.Legend(orient="bottom", direction="vertical", labelLimit=700),
            ),
            order="order:Q",
            tooltip=["row:N", "cause:N", alt.Tooltip("us:Q", title="µs")],
        )
    )
    return Chart(title, note, finished(chart))


def _worst(result: RtResult) -> list[Attributed]:
    entries = [entry for entry in result.attributed or () if entry.parts]
    return sorted(entries, key=lambda entry: -entry.outlier.late_ns)[:WORST]


def _said_parts(entry: Attributed) -> str:
    parts = [f"{cause_of(part.blame)} {us(part.ns)}" for part in entry.parts]
    if len(parts) > MOST_PARTS + 1:
        others_ns = sum(part.ns for part in entry.parts[MOST_PARTS:])
        parts[MOST_PARTS:] = [f"{len(parts) - MOST_PARTS} smaller parts {us(others_ns)}"]
    return ", ".join(parts)


def sums_of(result: RtResult) -> dict[tuple[int, str], int]:
    """What each cause took on each CPU, in ns."""
    sums: dict[tuple[int, str], int] = defaultdict(int)
    for entry in pooled(result).attributed or ():
        for part in entry.parts:
            sums[entry.outlier.cpu, cause_of(part.blame)] += part.ns
    return dict(sums)


def _by_size(sums: Mapping[tuple[int, str], int]) -> list[str]:
    whole: dict[str, int] = defaultdict(int)
    for (_, cause), ns in sums.items():
        whole[cause] += ns
    return sorted(whole, key=lambda cause: -whole[cause])
