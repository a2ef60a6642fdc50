# SPDX-License-Identifier: BSD-3-Clause
"""Threads that are followed on this machine, with the kernel's own tracing: what a program prints of itself is what the run says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.rt.campaign.thread_results import live_results
from latlab.rt.readers.live_trace import read_live_trace
from support.command import latlab

INSTANCES = Path("/sys/kernel/tracing/instances")
NAPS = "import sys, time, threading\nfor _ in range({count}):\n    time.sleep(0.02)\nsys.exit({status})\n"


@pytest.fixture(autouse=True)
def tracefs() -> None:
    if os.geteuid() != 0 or not os.access(INSTANCES, os.W_OK):
        pytest.skip("no tracefs that may be written, so no thread can be followed")


def own_instances(before: set[Path]) -> set[Path]:
    """Those that were made since. Runs beside the test have some too."""
    return {path for path in set(INSTANCES.iterdir()) - before if path.name.startswith("latlab-")}


def naps(tmp_path: Path, count: int, status: int = 0) -> list[str]:
    (tmp_path / "naps.py").write_text(NAPS.format(count=count, status=status))
    return [sys.executable, str(tmp_path / "naps.py")]


def test_each_nap_of_a_command_is_a_wake_up_and_its_exit_status_is_told(tmp_path):
    run = latlab("run", "rt", "-D", "60s", "--period", "20ms", "--", *naps(tmp_path, 50, status=3), store=tmp_path / "runs.db")
    assert run.returncode == 0, run.stderr
    store = open_store(str(tmp_path / "runs.db"))
    stored, files = store.load("last"), store.logs("last")
    assert stored.status is RunStatus.COMPLETE and dict(stored.facts)["exit status of the command"] == "3"
    live = read_live_trace(files)
    wakeups = [result for _, result in live_results(files) if result.thread is not None and result.thread.thread.pid == live.notes.root]
    assert sum(cpu.got for cpu in wakeups[0].wakeups[0].cpus) >= 50


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_instance_and_no_command(tmp_path, number):
    command = [sys.executable, "-m", "latlab", "run", "rt", "-D", "60s", "--store", str(tmp_path / "runs.db"), "--"]
    before = set(INSTANCES.iterdir())
    run = subprocess.Popen([*command, *naps(tmp_path, 5000)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: is_followed(tmp_path))
    made = own_instances(before)
    run.send_signal(number)
    run.wait(timeout=60)
    wait_for(lambda: not any(path.exists() for path in made) and not is_followed(tmp_path))
    assert made and not any(path.exists() for path in made) and not is_followed(tmp_path)


def is_followed(tmp_path: Path) -> bool:
    done = subprocess.run(["pgrep", "-f", f"^{sys.executable} {tmp_path}/naps.py"], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip())


def wait_for(is_so) -> None:
    end = time.monotonic() + 60
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)
