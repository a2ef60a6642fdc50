# SPDX-License-Identifier: BSD-3-Clause
"""The list of verbs, and where a wrong option sends its user."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import typer

from latlab.core.cli.app import app
from latlab.core.cli.verbs import GROUPS
from support.command import latlab


def test_every_verb_stands_in_one_group_of_the_help_and_run_is_the_first() -> None:
    listed = list(chain(*GROUPS.values()))
    assert listed[0] == "run"
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert sorted(listed) == sorted(name for name, command in commands.items() if not command.hidden)


def test_the_short_option_prints_the_help_of_every_level() -> None:
    for verb in ((), ("compare",), ("run",), ("run", "psci")):
        assert latlab(*verb, "-h").stdout.startswith("Usage: latlab")
    shown = latlab("-h").stdout
    assert all(f"\n{title}:\n" in shown for title in GROUPS)


@pytest.mark.parametrize(("verb", "place"), [((), "latlab"), (("compare",), "latlab compare"), (("run", "psci"), "latlab run psci")])
def test_a_wrong_option_names_the_help_of_its_own_verb(verb: tuple[str, ...], place: str) -> None:
    done = latlab(*verb, "--frobnicate")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(f"see `{place} --help`")


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, one in getattr(command, "commands", {}).items():
        yield (*path, name), one
        yield from _commands(one, (*path, name))


@pytest.mark.parametrize(("path", "command"), list(_commands(typer.main.get_command(app))))
def test_the_line_of_a_verb_in_the_help_is_whole_and_short(path: tuple[str, ...], command: Any) -> None:
    summary = command.get_short_help_str(1000)
    assert len(summary) <= 50 and summary.endswith("."), path
    assert summary in latlab(*path[:-1], "-h").stdout
    assert not command.help or command.help.partition("\n\n")[0] == summary, path


def test_without_arguments_the_command_prints_what_to_do_next(tmp_path: Path) -> None:
    done = latlab(store=tmp_path / "store.sqlite")
    assert done.returncode == 0
    assert f"No runs yet in {tmp_path / 'store.sqlite'}." in done.stdout
    assert "\n  latlab compare published:tf-a/juno/v2.9 published:tf-a/juno/v2.10\n" in done.stdout
