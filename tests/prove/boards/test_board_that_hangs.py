# SPDX-License-Identifier: BSD-3-Clause
"""Slow: a series of boots on a board of a labgrid lab, the guest on our firmware, which hangs in the middle of the first."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.linux import RECORD
from prove.boards.ssh_board import SshBoard
from support.labgrid_lab import lab

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

COMMAND_S = 3600
ENVIRONMENT = """\
targets:
  main:
    resources:
      RemotePlace: {{name: guest}}
    drivers:
      NetworkPowerDriver: {{delay: 1.0}}
      SSHDriver: {{keyfile: {key}, connection_timeout: 20.0}}
"""
MEASURE = ("--duration", "150s", "--load", "idle", "--instrument", "recorder", "--interval", "2000", "--idle-states", "--no-probes")


def test_a_board_that_hangs_is_switched_off_and_on_and_the_series_goes_on_with_its_next_boot(tmp_path: Path) -> None:
    board = SshBoard(tmp_path)
    (tmp_path / "env.yaml").write_text(ENVIRONMENT.format(key=board.key))
    said = tmp_path / "said"
    with lab(tmp_path, board) as ready:
        ready.client("-p", "guest", "acquire")
        environment = {**ready.environment(), "LATLAB_STORE": str(tmp_path / "store.sqlite")}
        board_options = ("--target", "labgrid", "--config", str(tmp_path / "env.yaml"), "--power-cycle")
        command = [sys.executable, "-m", "latlab", "run", "rt", *board_options, "--boots", "2", *MEASURE]
        with said.open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            _wait_for_record(tmp_path / "store.sqlite", process, said)
            board.hang()
            assert process.wait(COMMAND_S) == 3, said.read_text()
        finally:
            process.kill()
            process.wait()
        switched = [turn for _, turn in ready.switched]
    text = said.read_text()
    assert "Traceback" not in text
    store = open_store(str(tmp_path / "store.sqlite"))
    first, second = (store.load(head.id) for head in store.runs())
    assert first.status is RunStatus.PARTIAL and second.status is RunStatus.COMPLETE, (first.problems, second.problems)
    assert "the connection was lost for " in first.problems[0].message
    assert "it was power-cycled" in first.problems[0].message
    assert sum(cpu.got for cpu in read_record(store.logs(first.id)[RECORD], RECORD).cpus) > 0
    assert f"{first.id}+{second.id}" in text
    assert switched == ["off", "on"] * 3


def _wait_for_record(store: Path, process: subprocess.Popen[bytes], said: Path) -> None:
    """Until a copy of the recorder's file has come to the store, which it does every minute."""
    end = time.monotonic() + COMMAND_S
    while True:
        assert process.poll() is None and time.monotonic() < end, said.read_text()
        if store.exists():
            opened = open_store(str(store))
            if any(RECORD in opened.logs(life.run_id) for life in opened.unfinished_runs()):
                return
            opened.close()
        time.sleep(1)
