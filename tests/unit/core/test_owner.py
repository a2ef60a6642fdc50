# SPDX-License-Identifier: BSD-3-Clause
"""Whether a process lives, also where the system does not say when it began."""

import os
import subprocess
from dataclasses import replace

import pytest

from latlab.core.store import owner
from latlab.core.store.owner import is_alive, is_here, this_process


def test_a_process_is_alive_until_it_has_ended_even_if_nobody_has_asked_for_its_status() -> None:
    child = subprocess.Popen(["sleep", "100"])
    started = owner._started(child.pid)
    assert started is not None
    its = replace(this_process(), pid=child.pid, pid_started=started)
    assert is_here(its) and is_alive(its)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(its)
    child.wait()
    assert not is_alive(its) and owner._started(child.pid) is None


def test_a_process_of_another_host_cannot_be_seen_here() -> None:
    assert is_here(this_process()) and not is_here(replace(this_process(), host="elsewhere"))


def test_without_proc_a_process_is_asked_by_a_signal_that_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert owner._started_elsewhere(os.getpid()) == 0 and owner._started_elsewhere(gone.pid) is None

    def refused(pid: int, number: int) -> None:
        raise PermissionError(number)

    monkeypatch.setattr(os, "kill", refused)
    assert owner._started_elsewhere(1) == 0
