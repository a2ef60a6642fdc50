# SPDX-License-Identifier: BSD-3-Clause
"""What the command suggests without arguments."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer

from latlab.core.cli.app import app
from latlab.core.lifecycle import first_steps
from latlab.core.lifecycle.doctor import DoctorFinding
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.store.listing import heads
from latlab.core.store.store import open_store
from support.runs import run_with

NO_QEMU = DoctorFinding("QEMU", "qemu-system-aarch64 is missing", False)


def _kept(tmp_path: Path, *statuses: RunStatus) -> Sequence[Head]:
    store = open_store(str(tmp_path / "kept.sqlite"))
    for status in statuses:
        store.finish(store.begin(run_with()), status)
    return heads(store)


def _commands(steps: first_steps.FirstSteps) -> list[str]:
    return [command for command, _ in steps.commands]


def test_without_runs_it_measures_reports_and_compares() -> None:
    found = _commands(first_steps.next_steps("", (), ()))
    assert [shlex.split(one)[1] for one in found] == ["run", "report", "compare"]


def test_without_qemu_nothing_is_suggested_that_needs_it() -> None:
    steps = first_steps.next_steps("", (), [NO_QEMU])
    assert steps.missing == (NO_QEMU,)
    assert not any(one.startswith("latlab run") for one in _commands(steps))


def test_two_runs_of_one_kind_are_to_be_compared_and_one_is_not(tmp_path: Path) -> None:
    one = first_steps.next_steps("", _kept(tmp_path, RunStatus.COMPLETE), ())
    two = first_steps.next_steps("", _kept(tmp_path, RunStatus.COMPLETE), ())
    assert "latlab compare last~1 last" not in _commands(one)
    assert "latlab compare last~1 last" in _commands(two)
    before, last = _kept(tmp_path)[-2:]
    other = first_steps.next_steps("", (before._replace(platform="another"), last), ())
    assert "latlab compare last~1 last" not in _commands(other)


def test_a_partial_run_is_shown_and_not_explained(tmp_path: Path) -> None:
    found = _commands(first_steps.next_steps("", _kept(tmp_path, RunStatus.PARTIAL), ()))
    assert "latlab show last" in found and "latlab explain last" not in found


def test_a_store_that_cannot_be_read_is_said_and_no_reason_to_stop(tmp_path: Path) -> None:
    place = tmp_path / "no-store"
    place.write_text("text")
    steps = first_steps.first_steps(str(place))
    assert str(place) in steps.state and steps.commands


@pytest.mark.parametrize("command", [command for command, _ in (*first_steps.WITHOUT_RUNS, *first_steps.WITHOUT_QEMU)])
def test_every_suggested_command_is_a_verb(command: str) -> None:
    verb = typer.main.get_command(app).commands[shlex.split(command)[1]]  # type: ignore[attr-defined]
    assert not verb.hidden
