# SPDX-License-Identifier: BSD-3-Clause
"""Tables whose rows name one core more than once: which core each row is, as far as the order of the rows says it.

Firmware that takes the thread for the core prints every core of a cluster as number 0. Its rows still come in the order of the topology.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import CoreId, Problem, Topology
from latlab.core.readers.published.printed_tables import Table


def resolved(tables: Sequence[Table], stated: Topology | None, suggested: Topology | None) -> tuple[list[Table], list[Problem]]:
    """The tables with one row for each core, and what was settled or lost on the way.

    `stated` is what the user says of the cores, `suggested` what is known of the platform; the document's other tables come between them.
    """
    doubtful = [table for table in tables if _repeated(table)]
    if not doubtful:
        return list(tables), []
    shapes = [stated] if stated else [s for s in (*_shapes(tables), suggested, *map(_by_cluster, doubtful)) if s]
    out: list[Table] = []
    settled: list[tuple[Table, Topology]] = []
    lost: list[Table] = []
    for table in tables:
        shape = next((s for s in shapes if _fits(table, s)), None) if _repeated(table) else None
        if shape is not None:
            settled.append((table, shape))
            out.append(_in_order(table, shape))
        elif _repeated(table):
            lost.append(table)
            out.append(_first_of_each(table))
        else:
            out.append(table)
    return out, [*_settled(settled, stated), *_lost(lost)]


def _repeated(table: Table) -> list[CoreId]:
    return [core for core, times in Counter(table.rows.values()).items() if times > 1]


def _fits(table: Table, shape: Topology) -> bool:
    """As many rows as cores, and no core that only one row names would get another place."""
    rows = sorted(table.rows)
    if len(rows) != len(shape.cores):
        return False
    twice = set(_repeated(table))
    return all(table.rows[row] in twice or table.rows[row] == core for row, core in zip(rows, shape.cores, strict=True))


def _in_order(table: Table, shape: Topology) -> Table:
    cores = dict(zip(sorted(table.rows), shape.cores, strict=True))
    return replace(table, figures=tuple(replace(figure, core=cores[figure.row]) for figure in table.figures))


def _first_of_each(table: Table) -> Table:
    first: dict[CoreId, int] = {}
    for row, core in sorted(table.rows.items()):
        first.setdefault(core, row)
    return replace(table, figures=tuple(figure for figure in table.figures if first[figure.core] == figure.row))


def _shapes(tables: Sequence[Table]) -> list[Topology]:
    """The topologies of those tables that name every core once."""
    shapes: dict[Topology, None] = {}
    for table in tables:
        cores = frozenset(table.rows.values())
        if _repeated(table) or not cores or max(core.cluster for core in cores) > len(cores):
            continue
        sizes = Counter(core.cluster for core in table.rows.values())
        shape = Topology(tuple(sizes[number] for number in range(max(sizes) + 1)))
        if set(shape.cores) == cores:
            shapes[shape] = None
    return list(shapes)


def _by_cluster(table: Table) -> Topology | None:
    """One row after the other in each cluster: as many cores as the cluster has rows. None where the clusters' rows are mixed."""
    clusters = [core.cluster for _, core in sorted(table.rows.items())]
    if clusters != sorted(clusters) or set(clusters) != set(range(len(set(clusters)))):
        return None
    sizes = Counter(clusters)
    return Topology(tuple(sizes[number] for number in sorted(sizes)))


def _settled(tables: Sequence[tuple[Table, Topology]], stated: Topology | None) -> list[Problem]:
    by_shape: dict[Topology, list[Table]] = {}
    for table, shape in tables:
        by_shape.setdefault(shape, []).append(table)
    return [_inferred(reshaped, shape, stated) for shape, reshaped in by_shape.items()]


def _inferred(tables: Sequence[Table], shape: Topology, stated: Topology | None) -> Problem:
    names = ", ".join(dict.fromkeys(str(core) for table in tables for core in _repeated(table)))
    places = ", ".join(map(str, shape.cores))
    count = "1 table names" if len(tables) == 1 else f"{len(tables)} tables name"
    why = f"{stated} was given for them" if stated else f"FILE#RELEASE@{shape} with other numbers overrides this"
    return Problem(
        tables[0].line,
        f"inferred: {count} a core more than once ({names}); the rows are taken in their order as cores {places}; {why}",
        ProblemKind.INFERRED,
        tuple(f"line {table.line}: {table.test} ({table.release})" for table in tables),
    )


def _lost(tables: Sequence[Table]) -> list[Problem]:
    out = []
    for table in tables:
        names = ", ".join(map(str, _repeated(table)))
        rows = len(table.rows)
        out.append(
            Problem(
                table.line,
                f"{table.test} ({table.release or 'no release named'}) names core {names} more than once in {rows} rows; "
                f"only the first row of each is kept. Give the cores of each cluster with its name, such as FILE#RELEASE@{_even(rows)}",
            )
        )
    return out


def _even(rows: int) -> str:
    return f"{rows // 2},{rows - rows // 2}" if rows > 1 else str(rows)
