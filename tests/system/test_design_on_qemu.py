# SPDX-License-Identifier: BSD-3-Clause
"""An experiment with QEMU as its target, interrupted and killed in the middle: it goes on, loses nothing, and comes out exact."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.experiments.campaign.results import done_of
from support import preloaded

pytestmark = [pytest.mark.qemu]

LIMIT_S = 300
PLAN = """
name = "exception level and interrupt controller"
run = ["run", "psci", "--topology", "1,1", "--iterations", "1"]
response = "susp_deep_parallel/wakeup/*"
[[factor]]
name = "el"
level = [{name = "1"}, {name = "2", before = "true", options = ["--el", "2"]}]
[[factor]]
name = "gic"
level = [{name = "3"}, {name = "2", options = ["--gic", "2"]}]
"""


def begin(folder: Path) -> subprocess.Popen[str]:
    (folder / "plan.toml").write_text(PLAN)
    environment = {**os.environ, "LATLAB_STORE": str(folder / "store.sqlite"), "NO_COLOR": "1"}
    line = [sys.executable, "-m", "latlab", "design", "run", str(folder / "plan.toml"), "--seed", "5"]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)


def until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


def wait_for_end(pid: int) -> None:
    """The kernel has told it to end; it is no child of this process."""
    for _ in range(600):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} goes on after its experiment was killed")


def test_an_experiment_goes_on_after_an_interrupt_and_a_kill_and_is_exact(tmp_path: Path) -> None:
    first = begin(tmp_path)
    until(first, "run 2 of")
    os.killpg(first.pid, signal.SIGINT)
    _, said = first.communicate(timeout=LIMIT_S)
    assert first.returncode == 130 and "the same command continues it" in said
    second = begin(tmp_path)
    until(second, "run 3 of")
    second.kill()
    second.communicate(timeout=LIMIT_S)
    store = open_store(str(tmp_path / "store.sqlite"))
    (experiment,) = [run.id for run in store.runs() if run.campaign == "design"]
    kept = done_of(store, experiment)
    assert len(kept) >= 1
    second_run = next((life for life in store.unfinished_runs() if life.part and life.part.series == experiment), None)
    if second_run is not None and second_run.owner is not None:
        wait_for_end(second_run.owner.pid)
    third = begin(tmp_path)
    out, said = third.communicate(timeout=LIMIT_S)
    assert third.returncode == 0, said
    assert "goes on" in said and "Exact: 4 runs on the instruction clock" in out
    done = done_of(store, experiment)
    assert len(done) == 4 and kept.items() <= done.items()
    complete = [run for run in store.runs() if run.campaign == "psci" and run.status is RunStatus.COMPLETE]
    assert sorted(run.id for run in complete) == sorted(done.values())
    shown = subprocess.run(
        [preloaded.command(), "design", "show", experiment, "--format", "json", "--store", store.place.opened],
        capture_output=True,
        check=True,
    )
    found = json.loads(shown.stdout)["analysis"]
    assert found["exact"] and {effect["told"] for effect in found["effects"]} <= {"raises", "lowers", "no change"}
