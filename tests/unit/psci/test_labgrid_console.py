# SPDX-License-Identifier: BSD-3-Clause
"""The console of a board through labgrid: consoles that go wrong."""

from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store
from support.environments import run_psci_on
from support.runs import JUNO
from support.synthetic import log

pytest.importorskip("labgrid")
LOG = log()


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LATLAB_STORE", str(tmp_path / "store.sqlite"))


def _printing(folder: Path, then: str, lines: list[str] = LOG) -> Path:
    """An environment whose console prints a log and goes on as told."""
    (folder / "console.log").write_text("\r\n".join(lines) + "\r\n")
    path = folder / "env.yaml"
    path.write_text(f"targets: {{main: {{drivers: {{ExternalConsoleDriver: {{cmd: 'sh -c \"cat {folder}/console.log; {then}\"'}}}}}}}}\n")
    return path


def test_a_log_on_a_console_is_kept_byte_for_byte_and_the_board_may_go_on(tmp_path: Path) -> None:
    run = run_psci_on(_printing(tmp_path, "exec sleep 600"))
    assert run.status is RunStatus.COMPLETE and run.topology == JUNO
    assert open_store().logs("last")["console"] == ("\r\n".join(LOG) + "\r\n").encode()


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("exec sleep 600", "no output from the board for 1 s"),
        ("echo PANIC at 0x1234; exec sleep 600", "the firmware panicked: 'PANIC at 0x1234'"),
        ("sleep 1; exit 1", "the console of main is closed: ExecutionError: child has vanished"),
    ],
)
def test_a_board_that_stops_in_the_middle_is_said_and_what_it_printed_is_kept(tmp_path: Path, then: str, said: str) -> None:
    half = LOG[: len(LOG) // 2]
    with pytest.raises(DataError, match="is partial"):
        run_psci_on(_printing(tmp_path, then, half), "--silence", "1" if "no output" in said else "60")
    run = open_store().load("last")
    assert run.status is RunStatus.PARTIAL and run.samples
    assert any(said in problem.message for problem in run.problems)


def test_a_target_without_a_console_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "env.yaml").write_text("targets: {main: {resources: {NetworkService: {address: a, username: b}}}}\n")
    with pytest.raises(UsageError, match=r"labgrid target 'main', its console: labgrid says: .*ConsoleProtocol"):
        run_psci_on(tmp_path / "env.yaml")


def test_without_a_configuration_the_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LG_ENV", raising=False)
    with pytest.raises(UsageError, match="name it with --config, or in LG_ENV"):
        app(("run", "psci", "--target", "labgrid"), standalone_mode=False)
