# SPDX-License-Identifier: BSD-3-Clause
"""Runs and results in one schema, SQLite by default, PostgreSQL by URL. What arrives is committed as it arrives."""

from __future__ import annotations

import json
import logging
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from latlab.errors import DataError, LatlabError, UsageError
from latlab.model.enums import Clock, Metric, RunStatus
from latlab.model.run import Build, CoreId, CoreTrace, Problem, Run, Sample, Tick, Topology, TraceRecord

SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 30
ID_ATTEMPTS = 16

logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())

metadata = sa.MetaData()

schema_table = sa.Table("latlab_schema", metadata, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))

runs_table = sa.Table(
    "runs",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("campaign", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("platform", sa.Text, nullable=False),
    sa.Column("topology", sa.Text, nullable=False),
    sa.Column("clock", sa.Text, nullable=False),
    sa.Column("tick_value", sa.Float(53), nullable=False),
    sa.Column("firmware", sa.Text, nullable=False),
    sa.Column("events_hash", sa.Text),
    sa.Column("build_options", sa.Text, nullable=False),
    sa.Column("lead", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("capture_cost_ticks", sa.Float(53)),
    sa.Column("started_utc", sa.Text, nullable=False),
    sa.Column("emulator", sa.Text, nullable=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
)


def _of_run() -> sa.Column[Any]:
    return sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, index=True)


def _number() -> sa.Column[Any]:
    return sa.Column("number", sa.Integer, primary_key=True)


samples_table = sa.Table(
    "samples",
    metadata,
    _number(),
    _of_run(),
    sa.Column("test", sa.Text, nullable=False),
    sa.Column("metric", sa.Text, nullable=False),
    sa.Column("cluster", sa.Integer, nullable=False),
    sa.Column("core", sa.Integer, nullable=False),
    sa.Column("boot", sa.Integer, nullable=False),
    sa.Column("iteration", sa.BigInteger, nullable=False),
    sa.Column("value_ticks", sa.BigInteger, nullable=False),
)

traces_table = sa.Table(
    "traces",
    metadata,
    _number(),
    _of_run(),
    sa.Column("test", sa.Text, nullable=False),
    sa.Column("boot", sa.Integer, nullable=False),
    sa.Column("iteration", sa.BigInteger, nullable=False),
    sa.Column("cluster", sa.Integer, nullable=False),
    sa.Column("core", sa.Integer, nullable=False),
    sa.Column("lost", sa.BigInteger, nullable=False),
    sa.Column("records", sa.LargeBinary, nullable=False),
)

problems_table = sa.Table(
    "problems",
    metadata,
    _number(),
    _of_run(),
    sa.Column("line", sa.BigInteger, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
)

logs_table = sa.Table(
    "logs",
    metadata,
    _number(),
    _of_run(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)


class Store:
    """One database of runs. Every method is one transaction."""

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self._engine = engine
        self.place = place

    def begin(self, run: Run) -> str:
        """Store the run's facts under a new short id; until `finish` the run is partial."""
        for attempt in range(ID_ATTEMPTS):
            run_id = f"{run.campaign}-{secrets.token_hex(2 + attempt // 4)}"
            row = _run_row(run) | {"id": run_id, "status": RunStatus.PARTIAL.value}
            try:
                with self._transaction() as connection:
                    connection.execute(runs_table.insert(), row)
                return run_id
            except exc.IntegrityError:
                continue
        raise LatlabError(f"{self.place}: no free run id for {run.campaign} in {ID_ATTEMPTS} attempts; use another store with --store")

    def describe(self, run_id: str, run: Run) -> None:
        """Replace the run's facts by what is known now; its id and status stay."""
        row = {key: value for key, value in _run_row(run).items() if key != "status"}
        with self._transaction() as connection:
            connection.execute(runs_table.update().where(runs_table.c.id == run_id), row)

    def add(
        self,
        run_id: str,
        samples: Iterable[Sample] = (),
        traces: Iterable[CoreTrace] = (),
        problems: Iterable[Problem] = (),
        logs: Mapping[str, bytes] | None = None,
    ) -> None:
        """Add to a run; a log goes on where its last part ended."""
        with self._transaction() as connection:
            number = connection.execute(sa.select(runs_table.c.number).where(runs_table.c.id == run_id)).scalar_one()
            rows = {
                samples_table: [_sample_row(sample) for sample in samples],
                traces_table: [_trace_row(trace) for trace in traces],
                problems_table: [{"line": problem.line, "message": problem.message} for problem in problems],
                logs_table: [{"name": name, "data": zlib.compress(data)} for name, data in (logs or {}).items() if data],
            }
            for table, values in rows.items():
                if values:
                    connection.execute(table.insert(), [value | {"run": number} for value in values])

    def finish(self, run_id: str, status: RunStatus) -> None:
        with self._transaction() as connection:
            connection.execute(runs_table.update().where(runs_table.c.id == run_id), {"status": status.value})

    def runs(self) -> tuple[Run, ...]:
        """Every run without its samples, the oldest first."""
        with self._transaction() as connection:
            rows = connection.execute(sa.select(runs_table).order_by(runs_table.c.number)).mappings()
            return tuple(_run(row) for row in rows)

    def resolve(self, reference: str) -> str:
        """The id that `last`, an id or the unique beginning of an id means."""
        with self._transaction() as connection:
            ids = connection.execute(sa.select(runs_table.c.id).order_by(runs_table.c.number)).scalars().all()
        if not ids:
            raise UsageError(f"{self.place} has no runs; make one with `latlab run psci`")
        if reference == "last":
            return str(ids[-1])
        if reference in ids:
            return reference
        matches = [run_id for run_id in ids if run_id.startswith(reference)]
        if len(matches) == 1:
            return str(matches[0])
        if matches:
            raise UsageError(f"{reference!r} is the beginning of {', '.join(matches)}; give more of the id")
        raise UsageError(f"no run {reference!r} in {self.place}; `latlab ls` lists the runs")

    def load(self, reference: str) -> Run:
        """The whole run."""
        run_id = self.resolve(reference)
        with self._transaction() as connection:
            row = connection.execute(sa.select(runs_table).where(runs_table.c.id == run_id)).mappings().one()
            samples = tuple(_sample(r) for r in _rows(connection, samples_table, row["number"]))
            traces = tuple(_trace(r) for r in _rows(connection, traces_table, row["number"]))
            problems = tuple(Problem(r["line"], r["message"]) for r in _rows(connection, problems_table, row["number"]))
            return _run(row, samples, traces, problems)

    def sample_counts(self) -> dict[str, int]:
        """How many samples each run has."""
        query = (
            sa.select(runs_table.c.id, sa.func.count(samples_table.c.number))
            .outerjoin(samples_table, samples_table.c.run == runs_table.c.number)
            .group_by(runs_table.c.id)
        )
        with self._transaction() as connection:
            return {str(run_id): int(count) for run_id, count in connection.execute(query)}

    def logs(self, reference: str) -> dict[str, bytes]:
        """The raw logs of a run by name, byte for byte."""
        run_id = self.resolve(reference)
        query = (
            sa.select(logs_table.c.name, logs_table.c.data)
            .join(runs_table, logs_table.c.run == runs_table.c.number)
            .where(runs_table.c.id == run_id)
            .order_by(logs_table.c.number)
        )
        result: dict[str, bytes] = {}
        with self._transaction() as connection:
            for name, data in connection.execute(query):
                result[name] = result.get(name, b"") + zlib.decompress(data)
        return result

    def close(self) -> None:
        self._engine.dispose()

    def prepare(self) -> None:
        """Make the tables where they are missing and check the version of the schema."""
        with self._transaction() as connection:
            if sa.inspect(connection).has_table(schema_table.name):
                version = connection.execute(sa.select(schema_table.c.version)).scalar()
                self._check_version(version)
                return
        with self._transaction() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            metadata.create_all(connection)
            version = connection.execute(sa.select(schema_table.c.version)).scalar()
            if version is None:
                connection.execute(schema_table.insert(), {"version": SCHEMA_VERSION})

    def _check_version(self, version: int | None) -> None:
        if version != SCHEMA_VERSION:
            raise DataError(
                f"{self.place} has schema {version}, this latlab knows schema {SCHEMA_VERSION}; "
                "use the latlab that made it or another --store"
            )

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except exc.IntegrityError:
            raise
        except exc.DBAPIError as error:
            raise _explained(error, self.place) from error
        except (zlib.error, ValueError, KeyError) as error:
            raise DataError(f"{self.place}: damaged ({error}); restore a copy or use another --store") from error


def default_path() -> Path:
    """The store where neither --store nor LATLAB_STORE names one."""
    from platformdirs import user_data_path

    return user_data_path("latlab", appauthor=False) / "latlab.sqlite"


def store_location(place: str | None = None) -> str:
    return place or os.environ.get("LATLAB_STORE") or str(default_path())


def open_store(place: str | None = None) -> Store:
    """Open the store at a path or an SQLAlchemy URL; a missing SQLite file is made."""
    location = store_location(place)
    try:
        url = sa.make_url(location) if "://" in location else _sqlite_url(Path(location))
        engine = sa.create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S} if url.get_backend_name() == "sqlite" else {})
    except (exc.ArgumentError, exc.NoSuchModuleError) as error:
        raise UsageError(
            f"--store {location!r} is neither a path nor a database URL ({error}); write a path or postgresql+psycopg://..."
        ) from error
    except ModuleNotFoundError as error:
        raise UsageError(f"--store {location!r} needs the Python package {error.name}; install it") from error
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise UsageError(f"--store {location!r} is kept nowhere: what is measured would be lost; name a file")
    shown = engine.url.render_as_string(hide_password=True) if "://" in location else location
    store = Store(engine, shown)
    store.prepare()
    return store


def _sqlite_url(path: Path) -> sa.URL:
    if str(path) == ":memory:":
        return sa.URL.create("sqlite")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path.parent}: cannot hold the store ({error.strerror}); name another place with --store") from error
    return sa.URL.create("sqlite", database=str(path))


def _explained(error: exc.DBAPIError, place: str) -> LatlabError:
    said = str(error.orig).strip().splitlines()[0]
    if "connection" in said:
        return UsageError(f"{place}: the database cannot be reached ({said}); check its address and password, or use another --store")
    if "locked" in said:
        return UsageError(
            f"{place}: another process has held the store for {BUSY_TIMEOUT_S} s ({said}); wait for it or use another --store"
        )
    if "full" in said:
        return LatlabError(f"{place}: no room left ({said}); what was committed before is kept; free some space and run again")
    if "unable to open" in said or "readonly" in said:
        return UsageError(f"{place}: cannot be opened for writing ({said}); check its folder's permissions or name another with --store")
    if "not a database" in said or "malformed" in said or "no such column" in said or "disk I/O" in said:
        return DataError(f"{place}: not a store that can be read ({said}); restore a copy or use another --store")
    return LatlabError(f"{place}: the store failed ({said}); check it or use another --store")


def _rows(connection: sa.Connection, table: sa.Table, number: int) -> Iterable[Mapping[Any, Any]]:
    return connection.execute(sa.select(table).where(table.c.run == number).order_by(table.c.number)).mappings()


def _run_row(run: Run) -> dict[str, Any]:
    return {
        "campaign": run.campaign,
        "target": run.target,
        "platform": run.platform,
        "topology": str(run.topology),
        "clock": run.tick.clock.value,
        "tick_value": run.tick.value,
        "firmware": run.build.firmware,
        "events_hash": run.build.events_hash,
        "build_options": json.dumps(run.build.options),
        "lead": str(run.lead) if run.lead else None,
        "status": run.status.value,
        "capture_cost_ticks": run.capture_cost_ticks,
        "started_utc": run.started_utc,
        "emulator": run.emulator,
        "command": json.dumps(run.command),
        "facts": json.dumps(run.facts),
    }


def _run(
    row: Mapping[Any, Any], samples: tuple[Sample, ...] = (), traces: tuple[CoreTrace, ...] = (), problems: tuple[Problem, ...] = ()
) -> Run:
    return Run(
        campaign=row["campaign"],
        target=row["target"],
        platform=row["platform"],
        topology=Topology(tuple(int(part) for part in row["topology"].split(","))),
        tick=Tick(Clock(row["clock"]), _positive(row["tick_value"])),
        build=Build(row["firmware"], row["events_hash"], _pairs(row["build_options"])),
        lead=_core(row["lead"]) if row["lead"] else None,
        status=RunStatus(row["status"]),
        samples=samples,
        traces=traces,
        problems=problems,
        capture_cost_ticks=row["capture_cost_ticks"],
        started_utc=row["started_utc"],
        emulator=row["emulator"],
        command=tuple(json.loads(row["command"])),
        facts=_pairs(row["facts"]),
        id=row["id"],
    )


def _positive(value: Any) -> float:
    if not isinstance(value, int | float) or not value > 0:
        raise ValueError(f"a tick is worth {value!r}")
    return float(value)


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in json.loads(text))


def _core(text: str) -> CoreId:
    cluster, _, core = text.partition(".")
    return CoreId(int(cluster), int(core))


def _sample_row(sample: Sample) -> dict[str, Any]:
    return {
        "test": sample.test,
        "metric": sample.metric.value,
        "cluster": sample.core.cluster,
        "core": sample.core.core,
        "boot": sample.boot,
        "iteration": sample.iteration,
        "value_ticks": sample.value_ticks,
    }


def _sample(row: Mapping[Any, Any]) -> Sample:
    core, value = CoreId(row["cluster"], row["core"]), row["value_ticks"]
    if not isinstance(value, int):
        raise ValueError(f"a span of {value!r} ticks")
    return Sample(row["test"], Metric(row["metric"]), core, row["boot"], row["iteration"], value)


def _trace_row(trace: CoreTrace) -> dict[str, Any]:
    records = [(record.sequence, record.time_ticks, record.event, record.arg) for record in trace.records]
    return {
        "test": trace.test,
        "boot": trace.boot,
        "iteration": trace.iteration,
        "cluster": trace.core.cluster,
        "core": trace.core.core,
        "lost": trace.lost,
        "records": zlib.compress(json.dumps(records).encode("ascii")),
    }


def _trace(row: Mapping[Any, Any]) -> CoreTrace:
    records = tuple(TraceRecord(*record) for record in json.loads(zlib.decompress(row["records"])))
    return CoreTrace(row["test"], row["boot"], row["iteration"], CoreId(row["cluster"], row["core"]), records, row["lost"])
