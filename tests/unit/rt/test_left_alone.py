# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose maker is gone: here the kernel tells them, on a board they notice that nobody looks."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.targets.linux.machine import Here, OverSsh
from latlab.core.targets.process.children import dies_with_parent
from latlab.rt.targets.detached_job import _start, end_job, run_detached
from latlab.rt.targets.linux import salvage
from support.processes import of_job, wait_until
from support.ssh_script import over_script

JOB = "trap 'echo ended >{folder}/said; kill $!; exit 3' TERM; sleep 1000 & wait"
MAKER = """
import sys
from latlab.rt.targets.detached_job import run_detached
from latlab.core.targets.linux.machine import Here
run_detached(Here(), sys.argv[1], sys.argv[2], "", 0, 600)
"""


def test_a_job_here_ends_with_its_maker_even_if_that_is_killed(tmp_path: Path) -> None:
    maker = subprocess.Popen([sys.executable, "-c", MAKER, str(tmp_path), JOB.format(folder=tmp_path)])
    wait_until(lambda: len(of_job(tmp_path)) >= 2)
    maker.send_signal(signal.SIGKILL)
    maker.wait()
    wait_until(lambda: (tmp_path / "status").is_file() and of_job(tmp_path) == [])
    assert (tmp_path / "said").read_text() == "ended\n" and (tmp_path / "status").read_text() == "3\n"


def test_a_job_on_a_board_ends_when_nobody_has_looked_for_long(tmp_path: Path) -> None:
    board: OverSsh = replace(over_script(tmp_path), left_alone_s=2)
    _start(board, str(tmp_path), JOB.format(folder=tmp_path))
    wait_until(lambda: (tmp_path / "status").is_file() and of_job(tmp_path) == [])
    assert (tmp_path / "said").read_text() == "ended\n"
    (tmp_path / "out").mkdir()
    done = salvage(board, str(tmp_path), lambda files: None)
    assert done is not None and done.sentence == "board: the job ended itself, because nobody has looked for 2 s"
    assert not tmp_path.exists()


def test_a_job_on_a_board_that_is_looked_at_goes_on(tmp_path: Path) -> None:
    board = replace(over_script(tmp_path), left_alone_s=10, look_every_s=0.5)
    assert run_detached(board, str(tmp_path), "sleep 15; exit 5", "", 20, 600).status == 5


def test_a_job_that_still_runs_is_ended_from_its_folder_alone(tmp_path: Path) -> None:
    board = over_script(tmp_path)
    _start(board, str(tmp_path), JOB.format(folder=tmp_path))
    wait_until(lambda: len(of_job(tmp_path)) >= 2)
    assert end_job(board, str(tmp_path)) == 3 and of_job(tmp_path) == []


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert salvage(Here(), str(tmp_path / "latlab-rt.gone"), lambda files: None) is None


@pytest.mark.skipif(sys.platform != "linux", reason="no other kernel ends a child with its parent")
def test_a_child_ends_with_its_parent() -> None:
    said = "import subprocess; from latlab.core.targets.process.children import dies_with_parent as d; "
    said += "p = subprocess.Popen(['sleep', '1000'], preexec_fn=d()); print(p.pid, flush=True); p.wait()"
    parent = subprocess.Popen([sys.executable, "-c", said], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    wait_until(lambda: not Path(f"/proc/{child}").exists() or b") Z " in Path(f"/proc/{child}/stat").read_bytes())
    assert dies_with_parent() is not None and os.getpid() > 0
