# SPDX-License-Identifier: BSD-3-Clause
"""Runs and their parts as rows of a store, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import msgspec
import sqlalchemy as sa

from latlab.core.kinds.kind import StoredParts
from latlab.core.kinds.registry import empty_contents, kind_named
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.core.model.life import Left, Life, Owner, SeriesPart
from latlab.core.model.provenance import Provenance
from latlab.core.model.run import Build, Contents, CoreId, PrintedDelta, Problem, Run, Tick, Topology
from latlab.core.passwords import shown_address, shown_words
from latlab.core.store.checksums import check
from latlab.core.store.sample_columns import samples_of
from latlab.core.store.schema import lives_table, problems_table, runs_table
from latlab.core.store.trace_columns import traces_of

Row = Mapping[Any, Any]
Pairs = tuple[tuple[str, str], ...]
MOST_CORES = 1 << 16
PLAIN = ("campaign", "target", "platform", "capture_cost_ticks", "started_utc", "emulator", "source")
"""Columns that hold what the run does."""
PACKED: Mapping[str, Any] = {
    "conditions": Conditions,
    "command": tuple[str, ...],
    "printed_deltas": tuple[PrintedDelta, ...],
    "resolutions": tuple[tuple[Metric, float], ...],
    "facts": Pairs,
    "provenance": Provenance,
}
"""Columns that hold it as JSON."""


def run_row(run: Run) -> dict[str, Any]:
    """A password in a command line or in what the kernel was started with is hidden: a store is shown to others."""
    run = _without_passwords(run)
    return {
        **{name: getattr(run, name) for name in PLAIN},
        **{name: _json(getattr(run, name)) for name in PACKED},
        "kind": run.kind,
        "topology": str(run.topology),
        "clock": run.tick.clock.value,
        "tick_value": run.tick.value,
        "firmware": run.build.firmware,
        "events_hash": run.build.events_hash,
        "build_options": _json(run.build.options),
        "code_bytes": run.build.code_bytes,
        "lead": str(run.lead) if run.lead else None,
        "status": run.status.value,
    }


def _without_passwords(run: Run) -> Run:
    stated, provenance = run.conditions, run.provenance
    conditions = replace(
        stated,
        commands=tuple(map(shown_address, stated.commands)),
        load=stated.load and shown_address(stated.load),
        kernel_command_line=stated.kernel_command_line and shown_address(stated.kernel_command_line),
        emulator_options=stated.emulator_options and tuple(map(shown_address, stated.emulator_options)),
    )
    return replace(
        run,
        command=shown_words(run.command),
        conditions=conditions,
        provenance=replace(provenance, latlab_command=shown_words(provenance.latlab_command)),
        build=replace(run.build, options=tuple((name, shown_address(value)) for name, value in run.build.options)),
        facts=tuple((name, shown_address(value)) for name, value in run.facts),
    )


def run_of(row: Row, contents: Contents | None = None, problems: tuple[Problem, ...] = ()) -> Run:
    """A run without its contents where these are not given. Raises ValueError where the row is damaged."""
    _check(row, runs_table)
    check(runs_table, row)
    return Run(
        **{name: row[name] for name in ("id", "label", *PLAIN)},
        **{name: _typed(row[name], kind) for name, kind in PACKED.items()},
        topology=_topology(row["topology"]),
        tick=Tick(Clock(row["clock"]), _positive(row["tick_value"])),
        build=Build(row["firmware"], row["events_hash"], _typed(row["build_options"], Pairs), row["code_bytes"]),
        lead=_core(row["lead"]) if row["lead"] else None,
        status=RunStatus(row["status"]),
        contents=empty_contents(row["kind"]) if contents is None else contents,
        problems=problems,
    )


def contents_of(kind: str, samples: Iterable[Row], traces: Iterable[Row], log: Callable[[str], bytes]) -> Contents:
    """Contents that are in rows or that the kind needs of its logs. Raises UnknownKind if no installed package has the kind."""
    read = kind_named(kind).codec.of_store
    if read is None:
        return empty_contents(kind)
    contents: Contents = read(StoredParts(samples_of(samples), traces_of(traces), log))
    return contents


def life_row(owner: Owner | None, leftovers: Left, part: SeriesPart | None) -> dict[str, Any]:
    return {"owner": packed(owner), "heartbeat_utc": now_utc(), "phase": "", "leaves": packed(leftovers), "part": packed(part)}


def life_of(row: Row) -> Life:
    _check(row, lives_table)
    check(lives_table, row)
    return Life(
        run_id=row["id"],
        status=row["status"],
        owner=_typed(row["owner"], Owner | None),
        heartbeat_utc=row["heartbeat_utc"],
        phase=row["phase"],
        left=_typed(row["leaves"], Left),
        part=_typed(row["part"], SeriesPart | None),
    )


def owner_of(text: str | None) -> Owner | None:
    """None also where nothing is known of it, or it cannot be read."""
    try:
        return _typed(text, Owner | None) if text else None
    except (msgspec.MsgspecError, TypeError):
        return None


def packed(value: Owner | Left | SeriesPart | None) -> str:
    """As it stands in a row, the same text for the same value."""
    return _json(value)


def now_utc() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def problem_row(problem: Problem) -> dict[str, Any]:
    return {"line": problem.line, "message": problem.message, "kind": problem.kind.value}


def problem_of(row: Row) -> Problem:
    _check(row, problems_table)
    return Problem(row["line"], row["message"], ProblemKind(row["kind"]))


def _check(row: Row, table: sa.Table) -> None:
    """SQLite keeps a value of any type in any column."""
    for column in table.columns:
        if column.name not in row or (row[column.name] is None and column.nullable):
            continue
        column_type = (int, float) if isinstance(column.type, sa.Float) else column.type.python_type
        value = row[column.name]
        if not isinstance(value, column_type) or (isinstance(value, float) and not isfinite(value)):
            raise ValueError(f"its {column.name} is {value!r}")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _typed(text: str, kind: Any) -> Any:
    return msgspec.json.decode(text, type=kind)


def _positive(value: Any) -> float:
    if not isinstance(value, int | float) or not value > 0:
        raise ValueError(f"a tick is worth {value!r}")
    return float(value)


def _topology(text: str) -> Topology:
    clusters = tuple(int(part) for part in text.split(",") if part)
    if any(cores < 0 for cores in clusters) or sum(clusters) > MOST_CORES:
        raise ValueError(f"its topology is {text!r}")
    return Topology(clusters)


def _core(text: str) -> CoreId:
    cluster, _, core = text.partition(".")
    return CoreId(int(cluster), int(core))
