# SPDX-License-Identifier: BSD-3-Clause
"""The list of verbs, and where a wrong option sends its user."""

from __future__ import annotations

from itertools import chain

import pytest
import typer

from latlab.cli.app import app
from latlab.cli.verbs import GROUPS
from support.command import latlab


def test_every_verb_stands_in_one_group_of_the_help_and_run_is_the_first() -> None:
    listed = list(chain(*GROUPS.values()))
    assert listed[0] == "run"
    assert sorted(listed) == sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


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
