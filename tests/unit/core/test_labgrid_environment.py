# SPDX-License-Identifier: BSD-3-Clause
"""Environments of labgrid that cannot be used, and a board with only a console."""

import os
from pathlib import Path

import pytest

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.targets.linux.labgrid_board import LabgridBoard, load_target, prepare, release
from latlab.rt.targets.linux import survey
from support.environments import shell_config


def test_a_board_with_only_a_console_is_surveyed_through_its_shell(tmp_path: Path) -> None:
    target = load_target(shell_config(tmp_path), "main")
    assert survey(LabgridBoard(target), 80).machine == os.uname().machine
    release(target)


def test_power_that_the_environment_does_not_have_is_one_sentence(tmp_path: Path) -> None:
    target = load_target(shell_config(tmp_path), "main")
    with pytest.raises(UsageError, match=r"--power-cycle: labgrid says: .*no .*PowerProtocol"):
        prepare(target, None, power_cycle=True)
    with pytest.raises(UsageError, match=r"--state shell: labgrid says: .*no Strategy"):
        prepare(target, "shell", power_cycle=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("targets: {other: {drivers: {}}}", "has no target 'main', only other"),
        ("targets: [", "labgrid says"),
        ("targets: {main: {drivers: {NoSuchDriver: {}}}}", "labgrid says: .*NoSuchDriver"),
    ],
)
def test_an_environment_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "env.yaml").write_text(text)
    with pytest.raises(UsageError, match=said):
        load_target(tmp_path / "env.yaml", "main")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "labgrid"), "--config"),
        (("--target", "labgrid", "--config", "/nowhere.yaml"), "/nowhere.yaml is not a file"),
        (("--target", "linux", "--state", "shell"), "--target labgrid"),
    ],
)
def test_options_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str) -> None:
    monkeypatch.delenv("LG_ENV", raising=False)
    with pytest.raises(UsageError, match=said):
        app(("run", "rt", *arguments), standalone_mode=False)


def test_without_labgrid_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latlab.core.targets.linux.labgrid_board.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"-m pip install labgrid`"):
        load_target(tmp_path / "env.yaml", "main")
