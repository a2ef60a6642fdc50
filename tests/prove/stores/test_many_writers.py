# SPDX-License-Identifier: BSD-3-Clause
"""Slow: many first writers of an empty store, and writers and their server that are killed at random moments. What a writer was told to be
kept is kept, and no part is there by half."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from support.ladder_model import Truth, make_run
from support.places import TESTS
from support.postgres import DURABLE, Server
from support.postgres import server as postgres_server

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

FIRST_WRITERS = 20
TIMES = int(os.environ.get("LATLAB_PROOF_TIMES", "2"))
MOMENTS = int(os.environ.get("LATLAB_PROOF_MOMENTS", "20"))
SEED = 20261127
PART = 7
TEST = "cpu_susp_serial"
RUN = make_run(Truth(tests=(TEST,)), 1, boots=4)

WRITER = """
import sys
sys.path[:0] = sys.argv[2].split(":")
from support.ladder_model import Truth, make_run
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store

run = make_run(Truth(tests=("cpu_susp_serial",)), 1, boots=4)
print("ready", flush=True)
sys.stdin.readline()
store = open_store(sys.argv[1])
for turn in range(int(sys.argv[3])):
    run_id = store.begin(run)
    print(run_id, 0, flush=True)
    for start in range(0, len(run.samples), 7):
        store.add(run_id, run.samples[start : start + 7], logs={"console": b"x" * 4096})
        print(run_id, start + len(run.samples[start : start + 7]), flush=True)
    store.finish(run_id, RunStatus.COMPLETE)
    print(run_id, "complete", flush=True)
"""


@pytest.fixture(name="pg", scope="module")
def fixture_pg() -> Iterator[Server]:
    with postgres_server(DURABLE) as started:
        yield started


def begun(place: str, runs: int) -> subprocess.Popen[str]:
    """A writer at the door."""
    command = [sys.executable, "-c", WRITER, place, ":".join([str(TESTS), *sys.path]), str(runs)]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    return writer


def let_in(writer: subprocess.Popen[str]) -> None:
    assert writer.stdin is not None
    writer.stdin.write("\n")
    writer.stdin.flush()


def kept_as_said(place: str, said: str) -> int:
    """How many parts a writer was told to be kept; each is there, and no part by half."""
    last: dict[str, str] = {}
    lines = [line for line in said.splitlines(keepends=True) if line.endswith("\n")]
    for line in lines:
        run_id, what = line.split()
        last[run_id] = what
    store = open_store(place)
    for run_id, what in last.items():
        run = store.load(run_id)
        least = len(RUN.samples) if what == "complete" else int(what)
        assert len(run.samples) >= least and run.samples == RUN.samples[: len(run.samples)]
        assert len(run.samples) % PART == 0 or len(run.samples) == len(RUN.samples)
        parts = -(-len(run.samples) // PART)
        assert len(store.log(run_id, "console")) == 4096 * parts
        assert what != "complete" or run.status is RunStatus.COMPLETE
    return len(lines)


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_twenty_first_writers_of_an_empty_store_lose_no_run(
    pg: Server, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = 0
    for number in range(TIMES):
        place = pg.new_database(f"first{number}") if kind == "postgresql" else str(tmp_path / f"first{number}.sqlite")
        writers = [begun(place, 1) for _ in range(FIRST_WRITERS)]
        for writer in writers:
            let_in(writer)
        ends = [(writer.communicate(timeout=3600)[1], writer.returncode) for writer in writers]
        assert ends == [("", 0)] * FIRST_WRITERS
        found = open_store(place).runs()
        assert [run.status for run in found] == [RunStatus.COMPLETE] * FIRST_WRITERS
        kept += len(found)
    with capsys.disabled():
        print(f" {kind}: {kept} of {TIMES * FIRST_WRITERS} runs", end="")


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_what_a_killed_writer_was_told_to_be_kept_is_there(
    pg: Server, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, parts = random.Random(SEED), 0
    place = pg.new_database("killed") if kind == "postgresql" else str(tmp_path / "killed.sqlite")
    for _ in range(MOMENTS // 2):
        writer = begun(place, 1000)
        let_in(writer)
        time.sleep(chance.uniform(0.0, 1.5))
        writer.send_signal(signal.SIGKILL)
        said, _ = writer.communicate(timeout=3600)
        parts += kept_as_said(place, said)
    with capsys.disabled():
        print(f" {kind}: {parts} parts said to be kept at {MOMENTS // 2} moments", end="")


@pytest.mark.parametrize("ends", ["fast", "immediate"])
def test_a_server_that_restarts_again_and_again_costs_its_writers_nothing(
    pg: Server, ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, place, parts = random.Random(SEED), pg.new_database(f"restarts_{ends}"), 0
    writers = [begun(place, 1000) for _ in range(4)]
    for writer in writers:
        let_in(writer)
        assert writer.stdout is not None and writer.stdout.readline()
    try:
        for _ in range(MOMENTS):
            time.sleep(chance.uniform(0.1, 1.0))
            pg.stop(ends)
            pg.start()
        assert [writer.poll() for writer in writers] == [None] * len(writers)
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        outputs = [writer.communicate(timeout=3600)[0] for writer in writers]
    for output in outputs:
        parts += kept_as_said(place, output)
    with capsys.disabled():
        print(f" {parts} parts over {MOMENTS} restarts ({ends})", end="")


def test_what_a_killed_server_said_to_keep_is_there_and_its_writer_goes_on(pg: Server, capsys: pytest.CaptureFixture[str]) -> None:
    chance, place, went_on, parts = random.Random(SEED), pg.new_database("server"), 0, 0
    for _ in range(MOMENTS // 2):
        writer = begun(place, 3)
        let_in(writer)
        assert writer.stdout is not None and writer.stdout.readline()
        time.sleep(chance.uniform(0.0, 1.5))
        pg.kill()
        pg.start()
        said, errors = writer.communicate(timeout=3600)
        went_on += 1
        assert writer.returncode == 0, errors
        parts += kept_as_said(place, said)
    with sa.create_engine(place).connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM sample_columns WHERE run NOT IN (SELECT number FROM runs)").scalar() == 0
    with capsys.disabled():
        print(f" {parts} parts at {MOMENTS // 2} moments, {went_on} writers went on", end="")
