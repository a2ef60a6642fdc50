# SPDX-License-Identifier: BSD-3-Clause
import os
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import DataError, UsageError
from latlab.core.model.amounts import Amounts
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from latlab.rt.model.stolen import CpuStolen
from latlab.rt.targets.steal_job import file_of
from support.runs import run_with
from support.steal_lines import cpu_with, measured, text


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LATLAB_STORE", str(tmp_path / "store.sqlite"))


def _latlab(*arguments: str) -> None:
    app(("run", "steal", *arguments), standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "ssh"), "needs --host"),
        (("--host", "root@board"), "needs --host, and only it takes one"),
        (("--power-cycle",), "for --target labgrid"),
        (("--interval", "5"), "--interval 5 is outside 20 to 1000000"),
        (("--duration", "5"), "is not a duration with its unit"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_starts(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        _latlab(*arguments)


def _kept(*cpus: CpuStolen) -> None:
    store = open_store(os.environ["LATLAB_STORE"])
    run = store.begin(run_with(campaign="steal", contents=Amounts()))
    store.add(run, (), (), (), {file_of("idle"): text(measured(*cpus)).encode()})
    store.finish(run, RunStatus.COMPLETE)
    store.close()


def test_the_longest_window_is_that_of_the_cpu_that_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    """The CPU that lost most in all need not have the longest window."""
    _kept(cpu_with((20_000, 20_000, 20_000), 0), cpu_with((30_000,), 1))
    app(("show", "last"), standalone_mode=False)
    first = " ".join(capsys.readouterr().out.split())
    assert "CPU 0 lost 0.0020 % of its time" in first and "20.0 µs at most in one window" in first
    assert "The longest window is of CPU 1 while idle, 30.0 µs." in first


def test_one_cpu_with_most_of_both_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    _kept(cpu_with((50_000, 20_000), 0), cpu_with((30_000,), 1))
    app(("show", "last"), standalone_mode=False)
    assert "The longest window" not in capsys.readouterr().out


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="an Arm machine may well see")
def test_a_machine_without_arms_counters_says_so_and_has_what_it_counts_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """A virtual machine with a steal clock, or a board that counts its SMIs; any other is refused."""
    said = "time in firmware is not measurable by cycle counters: the machine has no 64-bit Arm CPUs"
    try:
        _latlab("--duration", "1s")
    except DataError as refused:
        assert refused.exit_code == 3 and said in str(refused)
        return
    screen = capsys.readouterr().out
    assert "Time in firmware per second" not in screen
    assert said in screen and "What took the CPUs from the kernel: idle" in screen
