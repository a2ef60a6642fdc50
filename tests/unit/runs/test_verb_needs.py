# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says of each verb and target: what is missing and how to get it, what the first run builds, what is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from latlab.core.errors import NotBuilt, UsageError
from latlab.core.lifecycle.doctor import DoctorFinding
from latlab.core.targets.linux.machine import Here
from latlab.rt.targets.linux import Survey
from latlab.rt.targets.thread_survey import TracingSurvey
from latlab.runs.campaign import verb_needs

SPM = NotBuilt("no program", "spm", "build it with `make spm`")
LINUX = {
    "machine": "x86_64",
    "cpus": "2",
    "fifo": "yes",
    "dma_latency": "yes",
    "root": "0",
    "kernel": "6.12.9",
    "version": "#1 SMP PREEMPT_RT Debian 6.12.9-1",
}


def _answered(survey: TracingSurvey, machine: object) -> TracingSurvey:
    return survey


def raising(error: Exception) -> Callable[[], object]:
    def look() -> object:
        raise error

    return look


def test_a_verb_that_lacks_nothing_is_usable() -> None:
    assert verb_needs._finding("run psa", lambda: None) == DoctorFinding("latlab run psa", "has all that it needs", True, False)


def test_what_op_tee_s_build_lacks_is_there_before_its_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = UsageError("OP-TEE's build needs a Python with cryptography and pyelftools", "install python3-pyelftools")
    monkeypatch.setattr(verb_needs, "check_tools", raising(lacking))
    (of_optee,) = [finding for finding in verb_needs.verb_findings() if "--secure-world" in finding.subject]
    assert not of_optee.usable and "install python3-pyelftools" in of_optee.result


def test_what_the_first_run_builds_is_no_lack_where_its_tools_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb_needs, "first_run_of", lambda missing: f"builds `make {missing.target}`")
    found = verb_needs._finding("run psa", raising(SPM), lambda: None)
    assert found.usable and found.result == "its first run builds `make spm`"


def test_every_lack_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(missing: NotBuilt) -> str:
        raise UsageError("no compiler", "install it")

    monkeypatch.setattr(verb_needs, "first_run_of", refuse)
    found = verb_needs._finding("run psa", raising(SPM), raising(UsageError("no QEMU", "install QEMU")), notes=("a note",))
    assert not found.usable and found.result == "no compiler; install it; no QEMU; install QEMU; a note"


@pytest.mark.parametrize(
    ("changed", "usable", "said"),
    [
        ({}, True, "without stress-ng and cyclictest, so this is `--instrument recorder --load spin`"),
        ({}, True, "kernel 6.12.9: PREEMPT_RT"),
        ({"version": "#1 SMP Debian"}, True, "kernel 6.12.9: no PREEMPT in its version"),
        ({"fifo": ""}, False, "lacks the right to real-time priority 80; run as root or give the user an rtprio limit"),
    ],
)
def test_this_machine_is_described_as_run_rt_would_find_it(
    changed: dict[str, str], usable: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verb_needs, "survey", lambda machine, priority: Survey(LINUX | changed))
    monkeypatch.setattr(verb_needs, "recorder_for", lambda machine: Path(machine))
    rt, causes, threads, timerlat = verb_needs._this_machine()
    assert (rt.usable, rt.subject) == (usable, "latlab run rt --target linux") and said in rt.result
    assert not timerlat.usable and "lacks rtla" in timerlat.result and "the timerlat tracer" in timerlat.result
    assert causes.subject.endswith("--causes") and threads.subject.endswith("--threads-of")


def test_what_follows_threads_has_what_it_lacks_and_what_killed_runs_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = TracingSurvey("/sys/kernel/tracing", True, True, True, True, 1 << 20, ("latlab-dead01", "latlab-dead01-own"))
    for survey, usable, words in (
        (ready, True, "killed runs left the tracing instances latlab-dead01, latlab-dead01-own; the next run removes them"),
        (replace(ready, is_writable=False, left=()), False, "no right to write /sys/kernel/tracing/instances; run as root"),
    ):
        monkeypatch.setattr(verb_needs, "tracing_survey", partial(_answered, survey))
        line = verb_needs._threads(Here())
        assert line.usable is usable and words in line.result


def test_a_machine_that_is_no_linux_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(machine: object, priority: int) -> Survey:
        raise UsageError("it must be a Linux machine")

    monkeypatch.setattr(verb_needs, "survey", refuse)
    (found,) = verb_needs._this_machine()
    assert not found.usable and found.result == "it must be a Linux machine"


def test_each_verb_that_measures_has_a_line() -> None:
    subjects = " ".join(finding.subject for finding in verb_needs.verb_findings())
    for verb in ("psci", "psa", "attack", "calls", "rt", "steal", "rt-power"):
        assert f"run {verb}" in subjects
    assert all(name in subjects for name in ("watch", "explore", "whatif", "import-trace", "--target linux"))
