# SPDX-License-Identifier: BSD-3-Clause
import os
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import DataError, UsageError


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


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="an Arm machine may well see")
def test_a_machine_without_arms_counters_says_so_and_has_what_it_counts_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """A virtual machine with a steal clock, or a board that counts its SMIs; any other is refused."""
    said = "steal time is not measurable: the machine has no 64-bit Arm CPUs"
    try:
        _latlab("--duration", "1s")
    except DataError as refused:
        assert refused.exit_code == 3 and said in str(refused)
        return
    screen = capsys.readouterr().out
    assert "Steal time per second" not in screen
    assert said in screen and "What took the CPUs from the kernel: idle" in screen
