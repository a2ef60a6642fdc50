# SPDX-License-Identifier: BSD-3-Clause
"""Runs and results in one schema, SQLite by default, PostgreSQL by URL. What arrives is committed as it arrives."""

from __future__ import annotations

import itertools
import logging
import os
import re
import secrets
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy import exc

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.kinds.registry import UnknownKind
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Left, Life, Owner, SeriesPart
from latlab.core.model.provenance import UNKNOWN
from latlab.core.model.run import CoreTrace, Problem, Run, Sample
from latlab.core.store.address import LATEST, Place, address_of
from latlab.core.store.checksums import change_life, change_run, sealed, sealed_run
from latlab.core.store.choice import ALL, Filter
from latlab.core.store.database_errors import BUSY_TIMEOUT_S, as_sentence
from latlab.core.store.engine import engine_of
from latlab.core.store.location import check_exists, check_is_no_mistyped_url, is_named, store_location
from latlab.core.store.migrations import can_migrate, migrate
from latlab.core.store.owner import is_mine, this_process, whoami
from latlab.core.store.restarts import RESTART_POLL_S, RESTART_S, through_a_restart
from latlab.core.store.rows import (
    life_of,
    life_row,
    now_utc,
    owner_of,
    packed,
    problem_row,
    run_of,
    run_row,
)
from latlab.core.store.run_parts import (
    DAMAGE,
    Addition,
    add_rows,
    check_parts,
    join_samples,
    join_traces,
    log_of,
    logs_of,
    remove_rows,
    whole_run,
)
from latlab.core.store.schema import (
    SCHEMA_VERSION,
    lives_table,
    logs_table,
    metadata,
    problems_table,
    runs_table,
    schema_table,
    traces_table,
)
from latlab.core.store.trace_columns import trace_rows

T = TypeVar("T")

SCHEMA_LOCK = 0x6C61746C6162
"""The advisory lock of PostgreSQL under which the tables are made and migrated: the letters of `latlab`."""
ID_ATTEMPTS = 16
ROWS_AT_ONCE, MOST_NAMED = 100, 8
PART_VARIABLE = "LATLAB_PART"
LAST = re.compile(r"last(?:~(\d{1,9}))?", re.ASCII)

logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())
_log_of_rows = logging.getLogger(__name__)


def _is_inserted(connection: sa.Connection, row: Mapping[str, Any], life: Mapping[str, Any]) -> bool:
    """Whether an attempt before this one was committed, of which a server that ended told nothing."""
    same = (runs_table.c.id == row["id"], runs_table.c.checksum == row["checksum"], lives_table.c.owner == life["owner"])
    query = sa.select(runs_table.c.number).join(lives_table, lives_table.c.run == runs_table.c.number).where(*same)
    return connection.execute(query).first() is not None


def _sign_of_life(phase: str) -> dict[str, str]:
    """Columns of a life. Without a phase the last one stays."""
    return {"heartbeat_utc": now_utc()} | ({"phase": phase} if phase else {})


def _nothing() -> None:
    """What follows from a run that begins, where nobody wants to know."""


class Store:
    """One database of runs. Every method is one transaction."""

    def __init__(self, engine: sa.Engine, place: Place) -> None:
        self._engine = engine
        self.place = address_of(place)
        self.command_line: tuple[str, ...] = ()
        """The command line for which it was opened, which is kept with each run that it begins; empty where there is none."""
        self.begun: list[str] = []
        self.on_begin: Callable[[], None] = _nothing
        """The ids of the runs that were begun by it, in this order."""
        self._was_reached = False
        self._marking: sa.Connection | None = None
        self._named_damage: set[str] = set()
        self._named_last: set[str] = set()

    def begin(
        self,
        run: Run,
        leftovers: Left = Left(),  # noqa: B008 - immutable
        part: SeriesPart | None = None,
        is_planned: bool = False,
        run_id: str = "",
    ) -> str:
        """Store the run's facts under a new short id, or under `run_id`. It is this process's to make and runs until `finish`, or it is
        only planned. An experiment that runs this command says in the environment which of its runs it is."""
        status = RunStatus.PLANNED if is_planned else RunStatus.RUNNING
        life = life_row(None if is_planned else this_process(), leftovers, part or part_of_environment())
        for attempt in range(ID_ATTEMPTS):
            new_id = run_id or f"{run.campaign}-{secrets.token_hex(2 + attempt // 4)}"
            row = sealed_run(run_row(run) | {"id": new_id, "status": status.value})
            try:
                self._insert(row, life, itertools.count())
                self.begun.append(new_id)
                self.on_begin()
                return new_id
            except exc.IntegrityError:
                continue
        raise LatlabError(
            f"no free run id for {run.campaign} in {ID_ATTEMPTS} attempts", "use another store with --store", place=self.place
        )

    @through_a_restart
    def _insert(self, row: Mapping[str, Any], life: Mapping[str, Any], attempts: Iterator[int]) -> None:
        """A new run with its life. Raises IntegrityError where another run has its id."""
        with self.transaction() as connection:
            if next(attempts) and _is_inserted(connection, row, life):
                return
            (number,) = connection.execute(runs_table.insert(), row).inserted_primary_key or (None,)
            connection.execute(lives_table.insert(), sealed(lives_table, {**life, "run": number}))

    @through_a_restart
    def update_metadata(self, run_id: str, run: Run) -> None:
        """Replace the run's facts by what is known now; its id and status stay, and its provenance where the run says none."""
        unchanged = ("status",) if run.provenance != UNKNOWN else ("status", "provenance")
        row = {key: value for key, value in run_row(run).items() if key not in unchanged}
        with self.writing() as connection:
            change_run(connection, self._number(connection, run_id), row)

    def add(
        self,
        run_id: str,
        samples: Iterable[Sample] = (),
        traces: Iterable[CoreTrace] = (),
        problems: Iterable[Problem] = (),
        logs: Mapping[str, bytes] | None = None,
        phase: str = "",
    ) -> None:
        """Add to a run, which is a sign of life of it; a log goes on where its last part ended. `phase` is its new one, if any."""
        rows = {
            traces_table: trace_rows(tuple(traces)),
            problems_table: [problem_row(problem) for problem in problems],
            logs_table: [{"name": name, "data": zlib.compress(data)} for name, data in (logs or {}).items() if data],
        }
        self._add(run_id, Addition(tuple(samples), rows), phase)

    @through_a_restart
    def _add(self, run_id: str, addition: Addition, phase: str) -> None:
        with self.writing() as connection:
            number = self._number(connection, run_id)
            addition.add_once(connection, number)
            change_life(connection, number, _sign_of_life(phase))

    @through_a_restart
    def checkpoint(self, run_id: str, logs: Mapping[str, bytes], phase: str = "") -> None:
        """A sign of life: these logs as they stand now, in place of what was kept of them before."""
        with self.writing() as connection:
            number = self._number(connection, run_id)
            for name, data in logs.items():
                remove_rows(connection, logs_table, number, logs_table.c.name == name)
                add_rows(connection, logs_table, number, [{"name": name, "data": zlib.compress(data, 1)}])
            change_life(connection, number, _sign_of_life(phase))

    @through_a_restart
    def set_leftovers(self, run_id: str, leftovers: Left) -> None:
        """Say what lies about from now on, before it does."""
        with self.writing() as connection:
            change_life(connection, self._number(connection, run_id), {"leaves": packed(leftovers)})

    def claim(self, run_id: str, owner: Owner | None, leftovers: Left | None = None) -> bool:
        """Make a run of `owner`, which is dead, or a planned one, this process's; False where another process was faster. `leftovers`, if
        any, replace what it left."""
        return self._claim(run_id, owner, {} if leftovers is None else {"leaves": packed(leftovers)}, itertools.count())

    @through_a_restart
    def _claim(self, run_id: str, owner: Owner | None, leftovers: Mapping[str, str], attempts: Iterator[int]) -> bool:
        """An attempt behind the first one may find that the first one was committed."""
        owners = (owner, this_process()) if next(attempts) else (owner,)
        with self._exclusive() as connection:
            number = self._number(connection, run_id)
            life = lives_table.c.run == number
            if owner_of(connection.execute(sa.select(lives_table.c.owner).where(life)).scalar()) not in owners:
                return False
            change_run(connection, number, {"status": RunStatus.RUNNING.value})
            change_life(connection, number, {"owner": packed(this_process()), "heartbeat_utc": now_utc(), **leftovers})
            return True

    @through_a_restart
    def give_back(self, run_id: str, owner: Owner | None) -> None:
        """A claimed run is its former owner's again."""
        with self.writing() as connection:
            change_life(connection, self._number(connection, run_id), {"owner": packed(owner)})

    @through_a_restart
    def finish(self, run_id: str, status: RunStatus) -> None:
        with self.writing() as connection:
            number = self._number(connection, run_id)
            change_run(connection, number, {"status": status.value})
            join_samples(connection, number)
            join_traces(connection, number)
            change_life(connection, number, {"heartbeat_utc": now_utc(), "leaves": packed(Left())})

    @through_a_restart
    def unfinished_runs(self, series: bool = False) -> tuple[Life, ...]:
        """The lives of the runs that are not at their end, the oldest first; with `series` also those of series that have ended. Removed
        runs are in no series."""
        query = sa.select(runs_table.c.id, runs_table.c.status, lives_table).join(lives_table, lives_table.c.run == runs_table.c.number)
        unfinished = runs_table.c.status.in_((RunStatus.PLANNED.value, RunStatus.RUNNING.value))
        condition = sa.or_(unfinished, lives_table.c.part != packed(None)) if series else unfinished
        query = query.where(condition, *ALL.clauses()).order_by(runs_table.c.number)
        with self.transaction() as connection, connection.execute(query) as rows:
            return self._readable(life_of, rows.mappings())

    @through_a_restart
    def runs(self, chosen: Filter = ALL) -> tuple[Run, ...]:
        """The runs that are wanted and can be read, without their samples, the oldest first; the others are named in the log."""
        query = sa.select(runs_table).where(*chosen.clauses()).order_by(runs_table.c.number.desc()).limit(chosen.limit)
        with self.transaction() as connection, connection.execute(query) as rows:
            return self._readable(run_of, rows.mappings())[::-1]

    def each_run(self, chosen: Filter = ALL) -> Iterator[Run]:
        """What `runs` gives, one at a time, for a store of any size. `chosen` has no limit."""
        for row in self.each_row(sa.select(runs_table).where(*chosen.clauses()), runs_table.c.number):
            yield from self._readable(run_of, (row,))

    def each_row(self, query: sa.Select[Any], number: sa.ColumnElement[int]) -> Iterator[Mapping[Any, Any]]:
        """The rows of a query by this number, which is one of its columns. They are read in parts, each in a transaction of its own:
        a slow reader, such as a pager, keeps no writer waiting."""
        last = -1
        while True:
            with self.transaction() as connection:
                rows = connection.execute(query.where(number > last).order_by(number).limit(ROWS_AT_ONCE)).mappings().all()
            yield from rows
            if len(rows) < ROWS_AT_ONCE:
                return
            last = rows[-1][number]

    @through_a_restart
    def count(self) -> int:
        """How many runs it has, readable or not, without the removed ones."""
        with self.transaction() as connection:
            return int(connection.execute(sa.select(sa.func.count()).where(*ALL.clauses())).scalar_one())

    @through_a_restart
    def has(self, run_id: str) -> bool:
        with self.transaction() as connection:
            return connection.execute(sa.select(runs_table.c.number).where(runs_table.c.id == run_id)).first() is not None

    def resolve(self, reference: str) -> str:
        """The id that an id, the unique beginning of one, the label of a single run, `latest:LABEL`, `last` or `last~1`, the one before,
        means. Where several users write, `last` is the newest run of this one; on a server also of this host."""
        runs = runs_table.c
        if before := LAST.fullmatch(reference):
            return self._last(int(before[1] or 0))
        if reference.startswith(LATEST):
            return self._latest(reference.removeprefix(LATEST))
        if self._ids(runs.id == reference):
            return reference
        labelled = self._ids(runs.label == reference) if reference else ()
        if len(labelled) > 1:
            raise UsageError(
                f"{len(labelled)} runs are labelled {reference!r}; {LATEST}{reference} is the newest complete one", value=reference
            )
        matches = labelled or [
            run_id for run_id in self._ids(runs.id.startswith(reference, autoescape=True)) if run_id.startswith(reference)
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
            raise UsageError(
                f"{reference!r} is the beginning of {', '.join(matches[:MOST_NAMED])}{more}", "give more of the id", value=reference
            )
        self._check_not_empty()
        if self.has(reference):
            raise UsageError(f"run {reference} was removed", f"`latlab runs restore {reference}` brings it back")
        raise UsageError(f"no run {reference!r} in {self.place}", "`latlab ls` lists the runs", value=reference)

    def _ids(self, *clauses: sa.ColumnElement[bool]) -> Sequence[str]:
        """The oldest first."""
        query = sa.select(runs_table.c.id).where(*ALL.clauses(), *clauses).order_by(runs_table.c.number)
        with self.transaction() as connection:
            return connection.execute(query).scalars().all()

    def _check_not_empty(self) -> None:
        if not self.count():
            raise UsageError(f"{self.place} has no runs", "make one with `latlab run psci`")

    def _last(self, before: int) -> str:
        """In a file the runs of this user are those of whatever host, since a container has a new name each time."""
        is_file = self._engine.dialect.name == "sqlite"
        query = (
            sa.select(runs_table.c.id, lives_table.c.owner)
            .outerjoin(lives_table, lives_table.c.run == runs_table.c.number)
            .where(*ALL.clauses())
            .order_by(runs_table.c.number.desc())
        )
        mine, others = 0, 0
        with self.transaction() as connection, connection.execution_options(yield_per=ROWS_AT_ONCE).execute(query) as rows:
            for run_id, owner in rows:
                if not is_mine(owner_of(owner), whatever_host=is_file):
                    others += 1
                elif mine == before:
                    self._name_last(before, str(run_id), others)
                    return str(run_id)
                else:
                    mine += 1
        self._check_not_empty()
        of_whom = f" of {whoami()}, and {others} of others" if others else ""
        runs = f"{mine} run{'s' * (mine != 1)}{of_whom}"
        raise UsageError(f"{self.place} has {runs}", "`latlab ls` lists them, and each has an id", place=_nth_last(before))

    def _name_last(self, before: int, run_id: str, newer_of_others: int) -> None:
        """Once for each run, where somebody else's is newer."""
        if newer_of_others and run_id not in self._named_last:
            self._named_last.add(run_id)
            _log_of_rows.warning("%s is %s, among the runs of %s in %s", _nth_last(before), run_id, whoami(), self.place)

    def _latest(self, label: str) -> str:
        complete = self._ids(runs_table.c.label == label, runs_table.c.status == RunStatus.COMPLETE.value) if label else ()
        if not complete:
            self._check_not_empty()
            near = get_close_matches(label, self._labels_of_complete_runs(), 1)
            step = f"the nearest label is {near[0]!r}" if near else f"`latlab runs label RUN {label}` gives a run the label"
            raise UsageError(f"no complete run in {self.place} is labelled {label!r}", step)
        return complete[-1]

    def _labels_of_complete_runs(self) -> list[str]:
        query = sa.select(runs_table.c.label).where(*ALL.clauses(), runs_table.c.status == RunStatus.COMPLETE.value).distinct()
        with self.transaction() as connection:
            return [str(label) for (label,) in connection.execute(query) if label]

    @through_a_restart
    def load(self, reference: str) -> Run:
        """The whole run."""
        run_id = self.resolve(reference)
        with self.reading() as connection, self.naming(run_id):
            return whole_run(connection, connection.execute(sa.select(runs_table).where(runs_table.c.id == run_id)).mappings().one())

    @through_a_restart
    def logs(self, reference: str) -> dict[str, bytes]:
        """The raw logs of a run by name, byte for byte."""
        run_id = self.resolve(reference)
        with self.reading() as connection, self.naming(run_id):
            number = self._number(connection, run_id)
            check_parts(connection, number)
            return logs_of(connection, number)

    @through_a_restart
    def log(self, reference: str, name: str) -> bytes:
        """One raw log of a run; empty where it has none of the name."""
        run_id = self.resolve(reference)
        with self.reading() as connection, self.naming(run_id):
            number = self._number(connection, run_id)
            check_parts(connection, number)
            return log_of(connection, number, name)

    def change_mark(self) -> object:
        """Another value whenever another connection may have changed the store; costs next to nothing. None where it cannot be told."""
        if self._marking is None:
            self._marking = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        question = "PRAGMA data_version" if self._engine.dialect.name == "sqlite" else "SELECT pg_current_snapshot()::text"
        try:
            return self._marking.exec_driver_sql(question).scalar()
        except exc.DBAPIError:
            self._marking = None
            return None

    def close(self) -> None:
        self._engine.dispose()

    def prepare(self, may_make: bool = True) -> None:
        """Make the tables where they are missing, or raise UsageError; bring an older store up to this version; refuse a newer one."""
        version = self._version()
        if version is None:
            if not may_make:
                raise UsageError(f"{self.place}: there is no store in this database", "see to its name; `latlab run` makes one")
            with self._exclusive() as connection:
                metadata.create_all(connection)
                version = connection.execute(sa.select(schema_table.c.version)).scalar()
                if version is None:
                    version = SCHEMA_VERSION
                    connection.execute(schema_table.insert(), {"version": version})
        if version != SCHEMA_VERSION:
            self._check_version(version)
            self._migrate(version)
        self._name_the_nameless()
        self._was_reached = True

    def _name_the_nameless(self) -> None:
        """SQLite keeps anything where an id should be: such a run gets one by which every verb can say which run it is."""
        if self._engine.dialect.name != "sqlite":
            return
        suspect = sa.or_(sa.func.typeof(runs_table.c.id) != "text", runs_table.c.id == "", runs_table.c.id.op("glob")("*[^ -~]*"))
        with self.transaction() as connection:
            nameless = connection.execute(sa.select(runs_table.c.number, runs_table.c.id).where(suspect)).all()
            for number in [number for number, run_id in nameless if not isinstance(run_id, str) or not run_id.isprintable() or not run_id]:
                name = f"damaged-{secrets.token_hex(2)}-{number}"
                connection.execute(runs_table.update().where(runs_table.c.number == number), {"id": name})
                _log_of_rows.warning("run number %d in %s had no name that can be written; it is %s from now on", number, self.place, name)

    def _version(self) -> int | None:
        """None where no latlab has made the tables yet."""
        with self.transaction() as connection:
            if not sa.inspect(connection).has_table(schema_table.name):
                return None
            version = connection.execute(sa.select(schema_table.c.version)).scalar()
            return None if version is None else int(version)

    def _readable(self, read: Callable[[Mapping[Any, Any]], T], rows: Iterable[Mapping[Any, Any]]) -> tuple[T, ...]:
        """What one row holds costs no other."""
        readable = []
        for row in rows:
            with self.leaving_out(row["id"]):
                readable.append(read(row))
        return tuple(readable)

    @contextmanager
    def leaving_out(self, run_id: str) -> Iterator[None]:
        """A run that cannot be read is named, and no error."""
        try:
            yield
        except DAMAGE as error:
            self.name_damage(run_id, error, ", and it is left out")

    def name_damage(self, run_id: str, error: Exception, then: str = "") -> None:
        """Once for each run."""
        if run_id not in self._named_damage:
            self._named_damage.add(run_id)
            _log_of_rows.warning("%s%s", self._damaged(run_id, error), then)

    @contextmanager
    def naming(self, run_id: str) -> Iterator[None]:
        """A run that cannot be read is an error with its name. Raises DataError."""
        try:
            yield
        except DAMAGE as error:
            raise DataError(f"{self._damaged(run_id, error)}, and the others can be read") from error

    def _damaged(self, run_id: str, error: Exception) -> str:
        if isinstance(error, UnknownKind):
            return f"run {run_id} in {self.place} cannot be read: {error}; `latlab runs rm {run_id}` removes it"
        return f"run {run_id} in {self.place} is damaged ({error}); `latlab runs rm {run_id}` removes it"

    @staticmethod
    def _number(connection: sa.Connection, run_id: str) -> int:
        return int(connection.execute(sa.select(runs_table.c.number).where(runs_table.c.id == run_id)).scalar_one())

    def _migrate(self, version: int) -> None:
        """In one transaction; a SQLite file is copied first and the copy removed once it has succeeded."""
        backup = self._kept_copy(version)
        with self._exclusive() as connection:
            stored_version = int(connection.execute(sa.select(schema_table.c.version)).scalar_one())
            if stored_version < SCHEMA_VERSION:
                migrate(connection, stored_version)
        if backup is not None:
            self._shrink()
            backup.unlink(missing_ok=True)

    def _shrink(self) -> None:
        """A SQLite file gives back the room of what went. Without room to do so it stays as large as it is."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection, suppress(exc.DBAPIError):
            connection.exec_driver_sql("VACUUM")

    def _kept_copy(self, version: int) -> Path | None:
        path = self._engine.url.database
        if self._engine.dialect.name != "sqlite" or path is None:
            return None
        backup = Path(f"{path}.version-{version}")
        try:
            shutil.copy2(path, backup)
        except OSError as error:
            raise UsageError(
                f"{self.place} is of an older version and cannot be copied to {backup} before it is brought up to date "
                f"({error.strerror}). Free some space or name another --store"
            ) from error
        return backup

    @contextmanager
    def _exclusive(self) -> Iterator[sa.Connection]:
        """A transaction that no other writer is in which asks for the same: of a server by a lock that needs no table yet."""
        with self.writing() as connection:
            if connection.dialect.name != "sqlite":
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_TIMEOUT_S}s'")
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SCHEMA_LOCK)))
            yield connection

    def _check_version(self, version: int) -> None:
        if not can_migrate(version):
            raise DataError(
                f"{self.place} has schema {version}, this latlab knows schema {SCHEMA_VERSION}",
                "use the latlab that made it or another --store",
            )

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction for the modules of this room that sees the store as it is at its first statement, whatever is written meanwhile."""
        with self.transaction() as connection:
            is_file = connection.dialect.name == "sqlite"
            connection.exec_driver_sql("BEGIN" if is_file else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction for the modules of this room whose rows no other writer changes between reading and writing: in a file it keeps
        the others waiting from its first statement on, on a server it locks the rows that it changes: first of a run, then of its life."""
        with self.transaction() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """For the modules of this room: whatever the database raises is one sentence."""
        try:
            with self._connected() as connection, connection.begin():
                yield connection
        except exc.IntegrityError:
            raise
        except exc.DBAPIError as error:
            raise as_sentence(error, self.place, self._was_reached) from error
        except DAMAGE as error:
            raise DataError(f"damaged ({error})", "restore a copy or use another --store", place=self.place) from error

    def _connected(self) -> sa.Connection:
        """A server that was reached once and is being restarted is waited for: a run of hours should not end with it. Raises LatlabError
        where it stays away for that long."""
        until = time.monotonic() + (RESTART_S if self._was_reached and self._engine.dialect.name != "sqlite" else 0)
        while True:
            try:
                return self._engine.connect()
            except exc.OperationalError as error:
                if time.monotonic() > until:
                    raise as_sentence(error, self.place, self._was_reached, LatlabError) from error
                time.sleep(RESTART_POLL_S)


def _nth_last(before: int) -> str:
    return f"last~{before}" if before else "last"


def part_of_environment() -> SeriesPart | None:
    try:
        return msgspec.json.decode(os.environ.get(PART_VARIABLE, "null"), type=SeriesPart | None)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{PART_VARIABLE} is not what an experiment of latlab sets ({error})", "unset it") from error


def open_store(place: Place | None = None) -> Store:
    """Open the store at a path or an SQLAlchemy URL; a missing SQLite file is made."""
    location = store_location(place)
    check_is_no_mistyped_url(location)
    store = Store(engine_of(location), location)
    store.prepare()
    return store


def open_to_read(place: Place | None = None) -> Store:
    """Open a store for who only reads. Raises UsageError where the named one is not there: nothing is made. The default one may be new."""
    check_exists(place)
    location = store_location(place)
    check_is_no_mistyped_url(location)
    store = Store(engine_of(location), location)
    store.prepare(may_make=not is_named(place))
    return store
