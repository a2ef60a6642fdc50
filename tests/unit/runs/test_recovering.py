# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose process is gone: found, told once, brought to their end; and those whose process lives are left alone."""

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError
from latlab.core.lifecycle.life import run_lifecycle
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.life import CUT_OFF, NOT_FETCHED, Address, Left, Owner
from latlab.core.model.run import CoreId, Problem
from latlab.core.store.owner import is_alive, this_process
from latlab.core.store.rows import packed
from latlab.core.store.store import Store, open_store
from latlab.core.targets import scratch
from latlab.rt.targets.guest.checkpoints import PAGE, SHARED, make_shared, read_shared
from latlab.runs.campaign import recovering
from latlab.runs.campaign.importing_log import import_log
from support import probe_stream as made
from support import recorder_files as files
from support.command import latlab
from support.power_cut import PowerCut
from support.runs import unfinished_run
from support.sealed_rows import reseal
from support.synthetic import log

RUN = unfinished_run()
KILLED_UTC = "2026-01-01T00:00:00Z"
MAKER = """
import sys, time
sys.path.insert(0, sys.argv[2])
from support.runs import unfinished_run
from latlab.core.model.life import Left
from latlab.core.store.store import open_store
from latlab.core.targets.scratch import scratch
store = open_store(sys.argv[1])
with scratch() as folder:
    (folder / "secure-0.log").write_bytes(b"the firmware said this")
    print(store.begin(unfinished_run(), Left(str(folder))), flush=True)
    time.sleep(600)
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return open_store(str(tmp_path / "store.sqlite"))


def of_another(store: Store, run_id: str, owner: Owner) -> None:
    with sqlite3.connect(store.place.opened) as changed:
        changed.execute("UPDATE lives SET owner = ?, heartbeat_utc = ?", (packed(owner), KILLED_UTC))
    reseal(store.place.opened)


def test_a_run_stays_its_makers_until_that_is_killed_and_then_the_next_command_ends_it(store: Store, tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[2])
    maker = subprocess.Popen([sys.executable, "-c", MAKER, store.place.opened, tests], stdout=subprocess.PIPE, text=True)
    try:
        assert maker.stdout is not None
        run_id = maker.stdout.readline().strip()
        assert latlab("ls", store=store.place).stderr == ""
        assert store.load(run_id).status is RunStatus.RUNNING and scratch.abandoned() == []
    finally:
        maker.send_signal(signal.SIGKILL)
        maker.communicate()
    assert len(scratch.abandoned()) == 1
    done = latlab("ls", store=store.place)
    assert done.returncode == 0 and done.stderr.startswith(f"run {run_id}: cut off after ") and done.stderr.count("\n") == 1
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and "latlab was killed" in run.problems[0].message and run.problems[0].line == 0
    assert dict(run.facts)["recovered (UTC)"] >= run.started_utc
    assert store.logs(run_id)["secure"] == b"the firmware said this"
    assert scratch.abandoned() == [] and latlab("ls", store=store.place).stderr == ""


def test_a_process_of_another_boot_is_dead_even_if_its_number_lives() -> None:
    assert is_alive(this_process())
    assert not is_alive(replace(this_process(), boot_id="another"))
    assert not is_alive(replace(this_process(), pid_started=1))


def test_the_checkpoint_of_a_guest_is_read_from_the_memory_that_it_shared(store: Store) -> None:
    record = files.whole([[1000, 2000]], final=False)
    with scratch.scratch() as folder:
        for place in (folder, folder / "50-us"):
            place.mkdir(exist_ok=True)
            make_shared(place / SHARED)
            with (place / SHARED).open("rb+") as file:
                file.write(b"LLSHM1\r\n" + len(record).to_bytes(8, "little"))
                file.seek(PAGE)
                file.write(record)
        run_id = store.begin(replace(RUN, target="guest"), Left(str(folder)))
        of_another(store, run_id, replace(this_process(), pid_started=1))
        (done,) = recovering.sweep(store)
    assert (done.run_id, done.status) == (run_id, RunStatus.PARTIAL)
    assert store.logs(run_id) == {"recorder.rec": record, "50-us/recorder.rec": record}


@pytest.mark.parametrize("head", [b"", b"LLSHM1\r\n", b"LLSHM2\r\n" + bytes(8), b"LLSHM1\r\n" + b"\xff" * 8])
def test_memory_that_nothing_was_shared_in_holds_no_file(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / SHARED
    path.write_bytes(head)
    assert read_shared(path) == b""


def test_a_run_of_another_machine_is_left_alone_until_it_has_been_silent_for_long(store: Store) -> None:
    run_id = store.begin(RUN)
    elsewhere = replace(this_process(), host="elsewhere")
    with sqlite3.connect(store.place.opened) as changed:
        changed.execute("UPDATE lives SET owner = ?", (packed(elsewhere),))
    reseal(store.place.opened)
    assert recovering.orphans(store) == ()
    of_another(store, run_id, elsewhere)
    assert [life.run_id for life in recovering.orphans(store)] == [run_id]
    assert recovering.sweep(store) == [] and store.load(run_id).status is RunStatus.RUNNING


@pytest.mark.parametrize(
    ("silent", "is_orphan"), [(timedelta(minutes=5), False), (timedelta(minutes=14), False), (timedelta(minutes=16), True)]
)
def test_a_run_of_another_machine_may_be_silent_for_a_quarter_of_an_hour(store: Store, silent: timedelta, is_orphan: bool) -> None:
    store.begin(RUN)
    heard = (datetime.now(UTC) - silent).strftime("%Y-%m-%dT%H:%M:%SZ")
    with sqlite3.connect(store.place.opened) as changed:
        changed.execute("UPDATE lives SET owner = ?, heartbeat_utc = ?", (packed(replace(this_process(), host="elsewhere")), heard))
    reseal(store.place.opened)
    assert bool(recovering.orphans(store)) is is_orphan


def test_a_file_that_was_left_is_kept_up_to_the_size_that_a_store_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovering, "MOST_BYTES", 100)
    (tmp_path / "secure-0.log").write_bytes(b"a" * 100)
    (tmp_path / "secure-1.log").write_bytes(b"b" * 101)
    (tmp_path / "probe").write_bytes(b"c" * 100)
    assert dict(recovering._local(tmp_path)) == {"secure": b"a" * 100, "probe": b"c" * 100}
    (tmp_path / "probe").write_bytes(b"c" * 101)
    assert "probe" not in dict(recovering._local(tmp_path))


def test_a_run_on_a_board_is_told_and_its_board_is_asked_only_by_recover(store: Store) -> None:
    board = Address("ssh", host="root@board.invalid")
    run_id = store.begin(RUN, Left(machine=board, job_folder="/var/tmp/latlab-rt.1"))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    said = latlab("ls", store=store.place).stderr
    assert said == f"run {run_id} on root@board.invalid: its latlab process has died; `latlab runs recover {run_id}` ends the run\n"


def test_what_a_job_here_left_is_fetched_and_a_job_that_had_ended_is_complete(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "latlab-rt.1"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "note").write_bytes(b"measured")
    (folder / "status").write_text("0\n")
    run_id = store.begin(RUN, Left(machine=Address("linux"), job_folder=str(folder)))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    (done,) = recovering.sweep(store)
    assert done.status is RunStatus.COMPLETE and "recovered, complete" in done.sentence
    assert store.logs(run_id) == {"note": b"measured"} and not folder.exists()


def test_what_cannot_be_fetched_stays_where_it_is_until_it_can(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "latlab-rt.3"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "note").write_bytes(b"measured")
    run_id = store.begin(RUN, Left(machine=Address("linux"), job_folder=str(folder)))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    for blocks in (folder / "out.tar", folder / "out" / "closed"):
        blocks.mkdir()
    assert recovering.sweep(store) == [] and store.load(run_id).status is RunStatus.RUNNING
    assert (folder / "out" / "note").read_bytes() == b"measured"
    for blocks in (folder / "out.tar", folder / "out" / "closed"):
        blocks.rmdir()
    (done,) = recovering.sweep(store)
    assert done.status is RunStatus.PARTIAL and store.logs(run_id) == {"note": b"measured"} and not folder.exists()


def test_a_run_whose_data_could_not_be_fetched_at_its_end_is_recovered_without_a_death(store: Store, tmp_path: Path) -> None:
    """Its process has ended by itself: nothing was killed and nothing is missing."""
    folder = tmp_path / "latlab-rt.4"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "note").write_bytes(b"measured")
    (folder / "status").write_text("0\n")
    run_id = store.begin(RUN, Left(machine=Address("linux"), job_folder=str(folder)))
    store.checkpoint(run_id, {}, NOT_FETCHED)
    of_another(store, run_id, replace(this_process(), pid_started=1))
    (done,) = recovering.sweep(store)
    assert done.status is RunStatus.COMPLETE and "still on the machine that it measured; recovered, complete" in done.sentence
    assert store.load(run_id).problems == () and store.logs(run_id) == {"note": b"measured"} and not folder.exists()


def test_what_cannot_be_kept_stays_on_the_machine(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "latlab-rt.5"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "note").write_bytes(b"measured")
    run_id = store.begin(RUN, Left(machine=Address("linux"), job_folder=str(folder)))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    checkpoint = store.checkpoint

    def full(run_id: str, logs: dict[str, bytes], phase: str = "") -> None:
        if logs:
            raise LatlabError("the disk is full")
        checkpoint(run_id, logs, phase)

    monkeypatch.setattr(store, "checkpoint", full)
    assert recovering.sweep(store) == [] and (folder / "out" / "note").read_bytes() == b"measured"


def test_a_job_whose_maker_is_gone_is_ended_before_its_files_are_fetched(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "latlab-rt.2"
    (folder / "out").mkdir(parents=True)
    command = f"export LATLAB_JOB={folder}; exec sh -c 'trap \"\" TERM; echo ready; while :; do sleep 1; done'"
    job = subprocess.Popen(["sh", "-c", command], start_new_session=True, stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None
    try:
        assert job.stdout.readline() == "ready\n"  # only then has its environment the job's name
        run_id = store.begin(RUN, Left(machine=Address("linux"), job_folder=str(folder)))
        of_another(store, run_id, replace(this_process(), pid_started=1))
        (done,) = recovering.sweep(store)
        assert done.status is RunStatus.PARTIAL and job.wait(10) == -signal.SIGKILL
    finally:
        job.kill()
        job.communicate()
    assert not folder.exists()


def test_iterations_that_stand_in_the_console_alone_are_read_from_it(store: Store, tmp_path: Path) -> None:
    """Killed between the console's part and the last of the iterations that it brought."""
    lines = log()
    whole = import_log(store, "\n".join(lines).encode(), "log", clock=Clock.INSTRUCTIONS)
    kept = store.load(whole.run_id)
    half = {(trace.test, trace.iteration) for trace in kept.traces[: len(kept.traces) // 2]}
    run_id = store.begin(kept)
    cut = "\n".join(lines[: len(lines) * 3 // 4]).encode()
    traces = [trace for trace in kept.traces if (trace.test, trace.iteration) in half]
    store.add(run_id, [s for s in kept.samples if (s.test, s.iteration) in half], traces, logs={"console": cut})
    of_another(store, run_id, replace(this_process(), pid_started=1))
    recovering.sweep(store)
    found = store.load(run_id)
    assert half < {(trace.test, trace.iteration) for trace in found.traces} < {(trace.test, trace.iteration) for trace in kept.traces}
    assert len(found.samples) == len(set(found.samples)) and set(found.samples) < set(kept.samples)
    assert set(found.samples) == {s for s in kept.samples if (s.test, s.iteration) in {(t.test, t.iteration) for t in found.traces}}


@pytest.mark.parametrize("campaign", ["watch", "sbi"])
def test_calls_that_stand_in_the_probes_stream_alone_are_read_from_it(store: Store, tmp_path: Path, campaign: str) -> None:
    stream = made.header() + made.core(0, 0x80000001) + made.crossing(0, 0, made.NO_WORLD, made.NS_EL1)
    for start in (100, 200, 300):
        stream += made.smc(0, start, 0x84000000) + made.back(0, start + 7)
    folder = tmp_path / "latlab-1-1-1-x"
    folder.mkdir()
    (folder / "probe").write_bytes(stream[:-8])
    run_id = store.begin(replace(RUN, campaign=campaign, conditions=Conditions(instrument="crossings")), Left(str(folder)))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    recovering.sweep(store)
    run = store.load(run_id)
    assert [(sample.test, sample.value_ticks, sample.core) for sample in run.samples] == [("PSCI_VERSION", 7, CoreId(0, 1))] * 2
    assert store.logs(run_id)["probe"] == stream[:-8]


@pytest.mark.parametrize("name", ["home", "latlab-rt.1/../home", "latlab-rt.2", "latlab-1-1-1-link"])
def test_a_folder_that_no_latlab_made_is_neither_read_nor_removed(store: Store, tmp_path: Path, name: str) -> None:
    """A store may be written by somebody else, and `ls` removed any folder of the machine that it named."""
    home = tmp_path / "home"
    (home / "out").mkdir(parents=True)
    for file in ("probe", "secure.log", "out/note"):
        (home / file).write_bytes(b"private")
    (tmp_path / "latlab-rt.1").mkdir()
    for link in ("latlab-rt.2", "latlab-1-1-1-link"):
        (tmp_path / link).symlink_to(home)
    run_id = store.begin(RUN, Left(f"{tmp_path}/{name}", Address("linux"), f"{tmp_path}/{name}"))
    of_another(store, run_id, replace(this_process(), pid_started=1))
    recovering.sweep(store)
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and "which makes none of that name" in str(run.problems[-1].message)
    assert store.logs(run_id) == {} and (home / "out" / "note").read_bytes() == b"private" and (home / "probe").is_file()


def test_what_a_run_of_another_store_left_stays_for_the_commands_of_that_store(store: Store, tmp_path: Path) -> None:
    other = open_store(str(tmp_path / "other.sqlite"))
    folder = tmp_path / f"latlab-{scratch.space()}-{os.getpid()}-1-x"
    folder.mkdir()
    (folder / "secure.log").write_bytes(b"said")
    with run_lifecycle(other, RUN, Left(str(folder))) as run_id:
        of_another(other, run_id, replace(this_process(), pid_started=1))
        assert recovering.sweep(store) == [] and folder.is_dir()
        (done,) = recovering.sweep(other)
    assert done.run_id == run_id and other.logs(run_id)["secure"] == b"said" and not folder.exists()


def test_a_folder_whose_store_is_no_more_is_removed(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / f"latlab-{scratch.space()}-{os.getpid()}-1-x"
    folder.mkdir()
    scratch.belong_to(folder, str(tmp_path / "gone.sqlite"))
    recovering.sweep(store)
    assert not folder.exists()


def test_only_one_of_two_processes_recovers_a_run(store: Store) -> None:
    run_id = store.begin(RUN)
    dead = replace(this_process(), pid_started=1)
    of_another(store, run_id, dead)
    assert store.claim(run_id, dead) and not store.claim(run_id, dead)


@pytest.mark.parametrize("step", ["update_metadata", "finish"])
def test_a_recovery_that_is_killed_and_done_again_names_one_cut(store: Store, step: str) -> None:
    run_id, dead = store.begin(RUN), replace(this_process(), pid_started=1)
    for _ in range(2):
        of_another(store, run_id, dead)
        (life,) = store.unfinished_runs()
        with pytest.MonkeyPatch.context() as patched, pytest.raises(PowerCut):
            patched.setattr(store, step, power_cut)
            recovering.recover(store, life, recovering.no_machine)
    of_another(store, run_id, dead)
    recovering.sweep(store)
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and len(run.problems) == 1
    assert [name for name, _ in run.facts].count(recovering.RECOVERED) == 1


def power_cut(*_: object, **__: object) -> None:
    raise PowerCut


@pytest.mark.parametrize("step", ["checkpoint", "add", "update_metadata", "finish", ""])
def test_a_recovery_that_was_killed_leaves_the_time_at_which_the_run_was(store: Store, step: str) -> None:
    """Each recovery gives signs of life of its own."""
    run_id, dead = store.begin(RUN), replace(this_process(), pid_started=1)
    of_another(store, run_id, dead)
    for _ in range(2 if step else 0):
        (life,) = store.unfinished_runs()
        with pytest.MonkeyPatch.context() as patched, pytest.raises(PowerCut):
            patched.setattr(store, step, power_cut)
            recovering.recover(store, life, recovering.no_machine)
        with sqlite3.connect(store.place.opened) as changed:
            changed.execute("UPDATE lives SET owner = ?", (packed(dead),))
        reseal(store.place.opened)
    (done,) = recovering.sweep(store)
    (problem,) = store.load(run_id).problems
    assert KILLED_UTC in done.sentence and KILLED_UTC in problem.message


def test_a_run_that_an_error_ends_is_over_and_says_it(store: Store) -> None:
    with pytest.raises(LatlabError), run_lifecycle(store, RUN) as run_id:
        raise LatlabError("the board caught fire")
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and run.problems == (Problem(0, "the board caught fire"),)
    assert store.unfinished_runs() == ()


def test_a_run_that_is_under_way_cannot_be_removed_and_a_labelled_one_is_not_pruned(store: Store) -> None:
    first, second, third = (store.begin(RUN) for _ in range(3))
    refused = latlab("runs", "rm", first, store=store.place)
    assert refused.returncode == 2 and f"{first} is in progress" in refused.stderr
    for run_id in (first, second, third):
        store.finish(run_id, RunStatus.COMPLETE)
    latlab("runs", "label", second, "before the change", store=store.place)
    latlab("runs", "prune", "--before", "2027", "--keep", "1", store=store.place)
    listed = latlab("runs", "prune", "--before", "2027-01", "--keep", "1", store=store.place)
    assert listed.stdout.splitlines()[1].startswith(first) and "1 runs would be removed" in listed.stderr
    assert len(store.runs()) == 3
    latlab("runs", "prune", "--before", "2027-01", "--keep", "1", "--yes", store=store.place)
    assert [run.id for run in store.runs()] == [second, third]
    assert latlab("ls", "--label", "before the change", "--format", "csv", store=store.place).stdout.splitlines()[1].startswith(second)
    assert (
        latlab("runs", "rm", second, third, store=store.place).returncode == 0
        and store.runs() == ()
        and store.unfinished_runs(series=True) == ()
    )


def test_what_rm_removed_comes_back_until_it_is_emptied(store: Store) -> None:
    """Deleted for good at once, it was gone though the manual promised its return."""
    run_id = store.begin(RUN)
    store.finish(run_id, RunStatus.COMPLETE)
    said = latlab("runs", "rm", run_id, store=store.place)
    assert "`latlab runs restore` brings them back" in said.stderr and store.runs() == ()
    assert latlab("show", run_id, store=store.place).returncode == 2
    latlab("runs", "restore", run_id, store=store.place)
    assert [run.id for run in store.runs()] == [run_id]
    latlab("runs", "rm", run_id, store=store.place)
    latlab("runs", "empty", "--yes", store=store.place)
    assert latlab("runs", "restore", store=store.place).stderr.strip().endswith("there is no removed run")


def test_a_part_that_was_cut_off_says_so(store: Store) -> None:
    run_id = store.begin(RUN)
    of_another(store, run_id, replace(this_process(), pid_started=1))
    recovering.sweep(store)
    with sqlite3.connect(store.place.opened) as reader:
        assert reader.execute("SELECT phase FROM lives").fetchall() == [(CUT_OFF,)]
