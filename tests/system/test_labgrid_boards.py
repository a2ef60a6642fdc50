# SPDX-License-Identifier: BSD-3-Clause
"""Boards through labgrid: its own SSHDriver and ShellDriver against a real sshd and a real shell on this machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.core.targets.linux.labgrid_board import LabgridBoard, load_target, prepare, release
from latlab.core.targets.linux.machine import Machine, OverSsh, Unreachable
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.detached_job import run_detached
from latlab.rt.targets.linux import run_linux, survey
from latlab.rt.targets.rt_job import Instrument, Workload
from support.environments import shell_config
from support.sshd import SSHD, Sshd, sshd

needs_pty = pytest.mark.skipif(not Path("/dev/pts/ptmx").exists(), reason="labgrid's power driver needs a pseudo-terminal")
WORKLOAD = Workload(1, "idle", Instrument.RECORDER, interval_us=1000, idle_states=True)
needs_sshd = pytest.mark.skipif(SSHD is None, reason="sshd is not installed (Debian: openssh-server)")

STRATEGY = """
import attr
from labgrid.factory import target_factory
from labgrid.strategy import Strategy

@target_factory.reg_driver
@attr.s(eq=False)
class BoardStrategy(Strategy):
    bindings = {"power": "ExternalPowerDriver", "ssh": "SSHDriver"}

    def transition(self, status):
        if status != "shell":
            raise KeyError(f"no state {status}")
        self.target.activate(self.power)
        self.power.on()
        self.target.activate(self.ssh)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture
def board(server: Sshd, tmp_path: Path) -> Iterator[LabgridBoard]:
    target = load_target(server.environment(tmp_path), "main")
    yield LabgridBoard(target)
    release(target)


@pytest.fixture(params=["ssh", "labgrid"])
def machine(request: pytest.FixtureRequest, server: Sshd, board: LabgridBoard) -> Machine:
    return server.machine if request.param == "ssh" else board


@needs_sshd
def test_a_command_gives_its_output_its_errors_and_its_status(machine: Machine) -> None:
    done = machine.run("echo 'one  two'; echo wrong >&2; exit 7", 30)
    assert (done.status, done.out, done.err) == (7, b"one  two\n", b"wrong\n")


@needs_sshd
def test_a_file_comes_back_as_it_went_and_can_be_run(machine: Machine, tmp_path: Path) -> None:
    content = b"#!/bin/sh\necho \xff ran\n" + os.urandom(4096)
    (tmp_path / "local").write_bytes(content)
    machine.put(tmp_path / "local", str(tmp_path / "remote"))
    assert machine.get(str(tmp_path / "remote")) == content
    assert (tmp_path / "remote").stat().st_mode & 0o111


@needs_sshd
def test_the_survey_is_the_same_by_either_way(server: Sshd, board: LabgridBoard) -> None:
    """But for what measures beside it, which comes and goes."""
    found, other = ({**survey(machine, 80).answers, "measuring": ""} for machine in (board, server.machine))
    assert found["machine"] == os.uname().machine and found == other


@needs_sshd
@pytest.mark.realtime
def test_a_measurement_leaves_a_whole_file_and_nothing_else(machine: OverSsh | LabgridBoard, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    machine = replace(machine, scratch=str(scratch))
    done = run_linux(machine, survey(machine, 80), WORKLOAD)
    assert done.sentence == ""
    read = read_record(done.files["recorder.rec"], "x")
    assert read.complete and all(cpu.got + (cpu.missed or 0) >= 1000 for cpu in read.cpus)
    assert list(scratch.iterdir()) == []


@needs_sshd
def test_a_job_that_is_stopped_leaves_nothing_running_on_the_board(machine: Machine, tmp_path: Path) -> None:
    job = f"trap 'kill $inner; wait $inner; exit 3' TERM; sleep 987 & inner=$!; echo $inner >{tmp_path}/inner; wait"
    end = run_detached(machine, str(tmp_path), job, "", 0, 0.3)
    assert end.status == 124
    inner = (tmp_path / "inner").read_text().strip()
    assert subprocess.run(("ps", "-p", inner), capture_output=True, check=False).returncode != 0


@needs_sshd
def test_a_server_that_goes_away_and_comes_back_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look but the last ones finds the server gone; labgrid's driver has to connect anew."""
    with sshd(tmp_path) as own:
        target = load_target(own.environment(tmp_path), "main")
        board = LabgridBoard(target)
        board.run("true", 30)
        own.stop()
        with pytest.raises(Unreachable, match="main does not answer"):
            board.run("true", 30)
        own.start()
        assert board.run("echo back", 30).out == b"back\n"
        release(target)


@needs_sshd
def test_a_board_that_does_not_answer_is_told_before_the_start(tmp_path: Path) -> None:
    with sshd(tmp_path) as own:
        config = own.environment(tmp_path)
    with pytest.raises(UsageError, match=r"main does not answer: ExecutionError: ssh: connect to host 127.0.0.1 .*: Connection refused"):
        survey(LabgridBoard(load_target(config, "main")), 80)


@needs_sshd
@pytest.mark.realtime
def test_the_command_line_measures_on_the_target_of_an_environment(server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LATLAB_STORE", str(tmp_path / "store.sqlite"))
    options = ("--duration", "1s", "--instrument", "recorder", "--load", "idle", "--idle-states", "--interval", "1000")
    app(("run", "rt", "--target", "labgrid", "--config", str(server.environment(tmp_path)), *options), standalone_mode=False)
    store = open_store()
    (run,) = [store.load(summary.id) for summary in store.runs()]
    assert run.status is RunStatus.COMPLETE and run.target == "labgrid:main"


@needs_sshd
@needs_pty
def test_power_and_strategy_are_used_where_asked_for(server: Sshd, tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text(STRATEGY)
    log = tmp_path / "power.log"
    power = f"      ExternalPowerDriver: {{cmd_on: 'sh -c \"echo on >>{log}\"', cmd_off: 'sh -c \"echo off >>{log}\"', delay: 0.0}}\n"
    config = server.environment(tmp_path, f"{power}      BoardStrategy: {{}}\nimports: [{tmp_path}/strategy.py]\n")
    target = load_target(config, "main")
    prepare(target, "shell", power_cycle=True)
    assert log.read_text().split() == ["off", "on", "on"]
    assert LabgridBoard(target).run("echo up", 30).out == b"up\n"
    with pytest.raises(UsageError, match=r"--state moon: labgrid says: KeyError: 'no state moon'"):
        prepare(target, "moon", power_cycle=False)
    release(target)


@pytest.mark.realtime
@pytest.mark.skipif(not (shutil.which("lrz") or shutil.which("rz")), reason="no XMODEM receiver (Debian: lrzsz)")
def test_a_board_with_only_a_console_is_measured_through_its_shell(tmp_path: Path) -> None:
    """Files go over the same console, by XMODEM."""
    target = load_target(shell_config(tmp_path), "main")
    board = LabgridBoard(target)
    done = run_linux(board, survey(board, 80), WORKLOAD)
    assert done.sentence == "" and read_record(done.files["recorder.rec"], "x").complete
    release(target)


@needs_sshd
@pytest.mark.realtime
def test_a_test_of_a_labgrid_user_measures_on_their_own_target(server: Sshd, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    config = server.environment(tmp_path, f"      LatlabDriver: {{store: {store}}}\nimports: [latlab.adopters.labgrid_driver]\n")
    target = load_target(config, "main")
    driver = target.get_driver("LatlabDriver")
    found = driver.rt(1, "idle", "recorder", interval_us=1000, idle_states=True)
    assert found.max_us > 0 and found.run.target == "labgrid:main"
    assert found.result.recorder is not None and found.max_us == found.result.recorder.max_ns / 1000
    assert [summary.id for summary in open_store(str(store)).runs()] == [found.run.id]
    with pytest.raises(UsageError, match="--load moon is not known"):
        driver.rt(1, "moon")
    release(target)
