# SPDX-License-Identifier: BSD-3-Clause
"""Processes that write runs into one store until they are killed, and what must hold of the store afterwards.

A writer reports each step in a file of its own once the store has returned from it, by one write, which a kill does not undo.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import sqlalchemy as sa

from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Problem, Run
from latlab.core.store.store import Store, open_store
from latlab.runs.campaign.recovering import RECOVERED
from support.ladder_model import Truth, make_run

RUN = make_run(Truth(tests=("cpu_susp_serial",)), 1, boots=2)
PART = 11
PARTS = -(-len(RUN.samples) // PART)
CONSOLE, RECORD = b"a line of the console\n" * 100, b"record " * 500
MOST_STEPS = 2 * (PARTS + 2)
A_STEP_S = 0.02
PATIENCE_S = 120
MOST_S = {True: 2.0, False: 0.6}
"""A kill of a recovery comes so long after the start at the latest, in a server and in a file."""
LOCK_S = 60
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def write_until_killed(place: str, report: str) -> None:
    """A run in parts, then the next one."""
    store = open_store(place)
    with open(report, "ab", buffering=0) as file:
        while True:
            run_id = store.begin(replace(RUN, contents=type(RUN.contents)()))
            file.write(f"{run_id} 0\n".encode())
            for part in range(PARTS):
                store.add(run_id, RUN.samples[part * PART : (part + 1) * PART], logs={"console": CONSOLE})
                store.checkpoint(run_id, {"record": RECORD + bytes([part])}, "measuring")
                file.write(f"{run_id} {part + 1}\n".encode())
            store.update_metadata(run_id, replace(RUN, facts=(*RUN.facts, ("last part", str(PARTS)))))
            store.finish(run_id, RunStatus.COMPLETE)
            file.write(f"{run_id} complete\n".encode())


def kill_writers(place: str, folder: Path, writers: int, kills: int, seed: int) -> dict[str, str]:
    """So many writers at a time, of which each is killed so many times and begun again at once: in turn, each when it has reported a random
    number of steps more, on a slow machine too. Returns the last step that was reported of each run."""
    chance, reports = random.Random(seed), [folder / f"report-{number}" for number in range(writers)]
    alive = [_begun(place, report) for report in reports]
    for kill in range(kills):
        for number, report in enumerate(reports):
            _await(report, chance.randrange(MOST_STEPS))
            time.sleep(chance.uniform(0, A_STEP_S))
            _kill(alive[number])
            if kill < kills - 1:
                alive[number] = _begun(place, report)
    lines = [line for report in reports for line in report.read_text("ascii").splitlines()]
    return dict(line.split() for line in lines)


def _await(report: Path, steps: int) -> None:
    """Until the report has so many lines more."""
    first = _lines(report)
    until = time.monotonic() + PATIENCE_S
    while _lines(report) - first < steps:
        assert time.monotonic() < until, f"{report.name} stands still"
        time.sleep(A_STEP_S / 10)


def _lines(report: Path) -> int:
    return report.read_bytes().count(b"\n") if report.exists() else 0


def kill_recoveries(place: str, kills: int, seed: int) -> None:
    """`runs recover` is killed so many times at random moments."""
    chance, most_s = random.Random(seed), MOST_S["://" in place]
    for _ in range(kills):
        process = PROCESSES.Process(target=_recover, args=(place,))
        process.start()
        time.sleep(chance.uniform(0, most_s))
        _kill(process)


def check_store(place: str, reported: dict[str, str]) -> Counter[str]:
    """After all writers are dead and their runs were recovered: how many runs were complete, partial and never reported."""
    store = open_store(place)
    assert not store.unfinished_runs()
    found: Counter[str] = Counter()
    for head in store.runs():
        run, logs = store.load(head.id), store.logs(head.id)
        found[run.status.value] += 1
        found["not reported"] += head.id not in reported
        _check_run(run, logs, reported.get(head.id, "0"))
    assert set(reported) <= {head.id for head in store.runs()}
    return found


def check_no_lock(place: str) -> None:
    """Another process may write at once; a server may need a moment until it knows that its client has died."""
    store = open_store(place)
    if not store.place.is_url:
        with closing(sqlite3.connect(place, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return
    until = time.monotonic() + LOCK_S
    while locks := _locks(store):
        assert time.monotonic() < until, locks
        time.sleep(0.1)


def _begun(place: str, report: Path) -> ForkServerProcess:
    process = PROCESSES.Process(target=write_until_killed, args=(place, str(report)))
    process.start()
    return process


def _kill(process: ForkServerProcess) -> None:
    process.kill()
    process.join()
    assert process.exitcode in (0, -9), process.exitcode


def _recover(place: str) -> None:
    from latlab.runs.verbs.upkeep import recover

    recover(None, None, open_store(place).place)


def _check_run(run: Run, logs: dict[str, bytes], step: str) -> None:
    parts = -(-len(run.samples) // PART)
    assert run.samples == RUN.samples[: parts * PART]
    assert logs.get("console", b"") == CONSOLE * parts
    assert logs.get("record", b"")[:-1] in (RECORD, b"") and parts >= (PARTS if step == "complete" else int(step))
    if run.status is RunStatus.COMPLETE:
        assert parts == PARTS and not run.problems and ("last part", str(PARTS)) in run.facts
        return
    assert step != "complete" and run.status is RunStatus.PARTIAL
    assert [_is_of_a_kill(problem) for problem in run.problems] == [True], run.problems
    assert [name for name, _ in run.facts].count(RECOVERED) == 1


def _is_of_a_kill(problem: Problem) -> bool:
    return "latlab was killed" in str(problem.message)


def _locks(store: Store) -> list[str]:
    query = "SELECT locktype || ' ' || mode FROM pg_locks WHERE pid <> pg_backend_pid() AND pid IN (SELECT pid FROM pg_stat_activity"
    with store.transaction() as connection:
        rows = connection.execute(sa.text(f"{query} WHERE datname = current_database() AND backend_type = 'client backend')"))
        return [str(lock) for (lock,) in rows]
