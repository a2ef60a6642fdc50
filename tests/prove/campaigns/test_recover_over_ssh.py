# SPDX-License-Identifier: BSD-3-Clause
"""Slow: latlab is killed while it measures over ssh; the board goes on by itself until `latlab runs recover` ends its job."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.linux import RECORD
from support.processes import of_job
from support.sshd import SSHD, Sshd, sshd

pytestmark = [
    pytest.mark.slow,
    pytest.mark.realtime,
    pytest.mark.skipif(SSHD is None, reason="sshd is not installed (Debian: openssh-server)"),
]

LIMIT_S = 3600
AFTER_S = 4
ALONE_S = 6
OPTIONS = ("--duration", "30m", "--load", "idle", "--instrument", "recorder", "--interval", "1000", "--idle-states", "--no-probes")
SSH = """\
#!/bin/sh
exec /usr/bin/ssh -F none -p {port} -i {key} -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR "$@"
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    folder = tmp_path / "sshd"
    folder.mkdir()
    with sshd(folder) as found:
        yield found


def _environment(folder: Path, server: Sshd) -> dict[str, str]:
    """The user's ssh finds the board, as with a configuration of theirs."""
    program = folder / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH.format(port=server.port, key=server.key))
    program.chmod(0o755)
    return {**os.environ, "LATLAB_STORE": str(folder / "store.sqlite"), "PATH": f"{program.parent}:{os.environ['PATH']}"}


def _latlab(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "latlab", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)


def test_a_run_over_ssh_whose_latlab_was_killed_is_recovered_with_what_was_measured_after_that(tmp_path: Path, server: Sshd) -> None:
    environment = _environment(tmp_path, server)
    before = set(Path("/var/tmp").glob("latlab-rt.*"))
    said = tmp_path / "said"
    with said.open("wb") as output:
        command = [sys.executable, "-m", "latlab", "run", "rt", "--target", "ssh", "--host", "127.0.0.1", *OPTIONS]
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        end = time.monotonic() + LIMIT_S
        while "recorder," not in said.read_text():
            assert process.poll() is None and time.monotonic() < end, said.read_text()
            time.sleep(0.05)
        time.sleep(AFTER_S)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    time.sleep(ALONE_S)
    listed = _latlab(environment, "ls")
    store = open_store(str(tmp_path / "store.sqlite"))
    (life,) = store.unfinished_runs()
    assert listed.returncode == 0 and f"latlab runs recover {life.run_id}" in listed.stderr, listed.stderr
    recovered = _latlab(environment, "runs", "recover", life.run_id)
    assert recovered.returncode == 0 and "Traceback" not in recovered.stderr, recovered.stderr
    run = store.load(life.run_id)
    assert run.status is RunStatus.PARTIAL and any("latlab was killed" in problem.message for problem in run.problems)
    read = read_record(store.logs(run.id)[RECORD], RECORD)
    assert read.complete and read.end_ns is not None and read.end_ns >= killed_ns + (ALONE_S - 2) * 1_000_000_000
    assert set(Path("/var/tmp").glob("latlab-rt.*")) <= before
    assert of_job(life.left.job_folder) == []
    assert "there is nothing to recover" in _latlab(environment, "runs", "recover").stderr
