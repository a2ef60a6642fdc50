# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as tables for people, and as CSV and JSON in nanoseconds for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latlab.core.errors import UsageError
from latlab.core.report.renderers import csv, json, rst
from latlab.core.report.table import Table, figures, words
from latlab.core.shown import significant
from latlab.psci.analysis.slowest import CHANNEL_CAUSES, LOCK_CAUSES, Cause
from latlab.psci.targets.board import Board
from latlab.virtual.campaign.whatif import Growth, SweepPoint, growths
from latlab.virtual.pages.tables import us

SCHEMA = "latlab-whatif"
VERSION = 1
DESIGN_COLUMNS = (*words("Lock", "Scope", "Channel"), *figures("Cluster"))
PARTS = {
    "Own path": (Cause.OWN_PATH,),
    "Own flush": (Cause.OWN_FLUSH,),
    "Own message": (Cause.OWN_MESSAGE,),
    "Channel": CHANNEL_CAUSES,
    "Lock": LOCK_CAUSES,
    "Domain": (Cause.DOMAIN,),
}
PARTS_NOTE = (
    "What the slowest core's power-down was spent on. Channel: waiting for it, or for a lock whose holder waits for it. "
    "Lock: taking it, or waiting while its holder flushes, sends its message or keeps its books. "
    "Own path: everything else, with no other core in the way."
)
GROWTH_NOTE = (
    "Over alone: the worst power-down divided by the time of its core and its own flush without other cores. Over the floor: divided by "
    "the time in which one channel serves every core, with any locks."
)

NO_INTERVAL = "Exact for these costs and for no others: no such board was measured, so no interval is known."


@dataclass(frozen=True, slots=True)
class Sweep:
    """The points of a sweep and what they were made from: a platform file with its changes, and one test."""

    platform: str
    board: Board
    test: str
    points: tuple[SweepPoint, ...]

    @property
    def title(self) -> str:
        return f"{self.test} simulated in virtual time, platform {self.platform}"

    @property
    def cluster_sizes(self) -> list[int]:
        return list(dict.fromkeys(point.cluster_size for point in self.points))

    @property
    def basis(self) -> str:
        sizes = " or ".join(map(str, self.cluster_sizes))
        return f"Clusters of {sizes}, every core a {self.kind}; one iteration, so at each point one sample a core."

    @property
    def kind(self) -> str:
        return self.board.clusters[-1][1]

    @property
    def costs_ns(self) -> dict[str, int]:
        """Those that the sweep uses: of the system, and of one class."""
        return {cost: ns for cost, ns in self.board.costs.items() if cost.rpartition(".")[0] in ("", self.kind)}


def tables(sweep: Sweep) -> list[Table]:
    """Every point, the slowest power-downs in their parts, and how they grow."""
    growths_found = growths(sweep.points)
    return [_points(sweep), *([_parts(growths_found), _growths(growths_found)] if growths_found else [])]


@dataclass(frozen=True, slots=True)
class DesignPart:
    """What the sentence of a design names: a choice, how to read it from a point, and its words."""

    name: str
    of: Callable[[SweepPoint], object]
    words: str = "{}"


DESIGN = (
    DesignPart("lock", lambda point: point.design.lock),
    DesignPart("channel", lambda point: point.design.channel, "{} channel"),
    DesignPart("scope of the lock", lambda point: point.design.lock_scope),
    DesignPart("size of the clusters", lambda point: point.cluster_size, "clusters of {}"),
)


def answer(sweep: Sweep) -> str:
    """The designs with the longest and with the shortest worst power-down on the largest board, and which choice plays no part in it."""
    cores = max(point.cores for point in sweep.points)
    points = sorted((point for point in sweep.points if point.cores == cores), key=lambda point: point.powerdown_worst_ns)
    best, worst = points[0], points[-1]
    idle = [part for part in DESIGN if _makes_no_difference(part, points)]
    named = [part for part in DESIGN if part not in idle]
    sentence = f"At {cores} cores the worst powerdown takes {_design_text(worst, named)}"
    if best.powerdown_worst_ns != worst.powerdown_worst_ns:
        sentence += f", at best {_design_text(best, named)}"
    return f"{sentence}.{''.join(f' The {part.name} makes no difference.' for part in idle)}"


def _makes_no_difference(part: DesignPart, points: Sequence[SweepPoint]) -> bool:
    """Whether it was varied, and points that differ in it alone have one figure."""
    others = [other for other in DESIGN if other is not part]
    figures_of: dict[tuple[object, ...], set[float]] = {}
    for point in points:
        figures_of.setdefault(tuple(other.of(point) for other in others), set()).add(point.powerdown_worst_ns)
    return len({part.of(point) for point in points}) > 1 and all(len(times) == 1 for times in figures_of.values())


def _design_text(point: SweepPoint, named: Sequence[DesignPart]) -> str:
    design = ", ".join(part.words.format(part.of(point)) for part in named)
    return f"{significant(us(point.powerdown_worst_ns), grouped=True)} µs{f' ({design})' if design else ''}"


def as_json(sweep: Sweep) -> str:
    document = {
        "schema": SCHEMA,
        "version": VERSION,
        "clock": "virtual",
        "platform": sweep.platform,
        "class": sweep.kind,
        "costs_ns": sweep.costs_ns,
        "test": sweep.test,
        "iterations": 1,
        "points": [_record(point) | {"causes_ns": _causes(point)} for point in sweep.points],
        "growth": [_growth_record(growth) for growth in growths(sweep.points)],
    }
    return json.document(document)


def as_csv(sweep: Sweep) -> str:
    """A line a point; the columns from `own_path_ns` on sum to `powerdown_worst_ns`."""
    rows = [
        {"platform": sweep.platform, "clock": "virtual", "test": sweep.test}
        | _record(point)
        | {f"{name}_ns": ns for name, ns in _causes(point).items()}
        for point in sweep.points
    ]
    return csv.lines(rows[0], (row.values() for row in rows))


def ends_of(growths_found: Iterable[Growth]) -> list[SweepPoint]:
    """The points between which growth is told, each once."""
    return [
        point for growth in growths_found for point in ((growth.small,) if growth.small is growth.large else (growth.small, growth.large))
    ]


def part_ns(point: SweepPoint, part: str) -> int:
    return sum(point.causes_ns[cause] for cause in PARTS[part])


def _points(sweep: Sweep) -> Table:
    rows = tuple(
        (
            *_design(p),
            p.cores,
            p.clusters,
            us(p.powerdown_median_ns),
            us(p.powerdown_worst_ns),
            us(p.wakeup_median_ns),
            us(p.wakeup_worst_ns),
        )
        for p in sweep.points
    )
    names = ("Cores", "Clusters", "Powerdown median", "Powerdown worst", "Wakeup median", "Wakeup worst")
    columns = (*DESIGN_COLUMNS, *figures(*names))
    return Table(f"{sweep.title}, µs. {sweep.basis} {NO_INTERVAL}", columns, rows)


def _parts(growths_found: Sequence[Growth]) -> Table:
    rows = tuple(
        (*_design(p), p.cores, str(p.worst_core), us(p.powerdown_worst_ns), *(us(part_ns(p, part)) for part in PARTS))
        for p in ends_of(growths_found)
    )
    return Table("The worst powerdown in its parts, µs", (*DESIGN_COLUMNS, *figures("Cores", "Core", "Worst", *PARTS)), rows)


def _growths(growths_found: Sequence[Growth]) -> Table:
    """Every growth of a sweep is between the same two numbers of cores."""
    few, many = growths_found[0].small.cores, growths_found[0].large.cores
    names = [
        heading for cores in dict.fromkeys((few, many)) for heading in (f"Worst at {cores}", f"over alone, {cores}", f"over floor, {cores}")
    ]
    rows = tuple((*_design(g.small), *(cell for p in ends_of([g]) for cell in _worst(p)), _ratio(g.factor)) for g in growths_found)
    return Table("How the worst powerdown grows, µs and factors", (*DESIGN_COLUMNS, *figures(*names, f"Growth {few} to {many}")), rows)


def _worst(point: SweepPoint) -> tuple[str | float, ...]:
    return us(point.powerdown_worst_ns), _ratio(point.over_alone), _ratio(point.over_floor)


def _design(point: SweepPoint) -> tuple[str | float, ...]:
    return point.design.lock, point.design.lock_scope, point.design.channel, point.cluster_size


def _record(point: SweepPoint) -> dict[str, Any]:
    return {
        "lock": point.design.lock,
        "lock_scope": point.design.lock_scope,
        "channel": point.design.channel,
        "cluster_size": point.cluster_size,
        "cores": point.cores,
        "clusters": point.clusters,
        "powerdown_median_ns": point.powerdown_median_ns,
        "powerdown_worst_ns": point.powerdown_worst_ns,
        "wakeup_median_ns": point.wakeup_median_ns,
        "wakeup_worst_ns": point.wakeup_worst_ns,
        "worst_core": str(point.worst_core),
        "alone_ns": point.alone_ns,
        "over_alone": point.over_alone,
        "channel_floor_ns": point.channel_floor_ns,
        "over_floor": point.over_floor,
    }


def _causes(point: SweepPoint) -> dict[str, int]:
    return {cause.value: ns for cause, ns in point.causes_ns.items()}


def _growth_record(growth: Growth) -> dict[str, Any]:
    small, large = growth.small, growth.large
    design = {"lock": small.design.lock, "lock_scope": small.design.lock_scope, "channel": small.design.channel}
    return design | {"cluster_size": small.cluster_size, "cores": [small.cores, large.cores], "factor": growth.factor}


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


SUFFIXES = (".html", ".csv", ".json", ".rst")


def check_output(path: Path) -> None:
    """Before a long sweep, so that its figures are not lost at the end."""
    if path.suffix not in SUFFIXES:
        raise UsageError(f"-o {path}: the name says what to write", f"let it end in {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise UsageError(f"-o {path}: there is no folder {path.parent}", "make it first")


def text_of(sweep: Sweep, suffix: str) -> str:
    if suffix == ".html":
        from latlab.core.report.renderers import html
        from latlab.virtual.pages.whatif_web import page

        return html.document(page(sweep))
    if suffix == ".rst":
        return rst.tables(tables(sweep))
    return as_csv(sweep) if suffix == ".csv" else as_json(sweep)
