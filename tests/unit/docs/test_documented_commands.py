# SPDX-License-Identifier: BSD-3-Clause
"""Each command that a page shows is one that latlab takes: verb, options and arguments."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from latlab.core.cli.app import app
from support.documented import LEFT_OUT, PAGES, commands
from support.places import ROOT

LATLAB: Any = typer.main.get_command(app)


def refused(command: str) -> str | None:
    """Why the command line does not take these words; nothing runs."""
    words = shlex.split(command, comments=True)[1:]
    verb, context = LATLAB, None
    while hasattr(verb, "get_command"):
        context = verb.context_class(verb, info_name="latlab", parent=context)
        if not words or words[0].startswith("-"):
            return None
        found = verb.get_command(context, words[0])
        if found is None:
            return f"no verb {words[0]}"
        verb, words = found, words[1:]
    try:
        verb.make_parser(verb.context_class(verb, parent=context)).parse_args(args=list(words))
    except Exception as error:
        return str(error)
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_is_one_that_latlab_takes(page: Path) -> None:
    said = {command: refused(command) for command in commands(page) if not LEFT_OUT.search(command)}
    wrong = {command: why for command, why in said.items() if why}
    # A sentence may speak of an option alone.
    assert {command: why for command, why in wrong.items() if not why.endswith("requires an argument.")} == {}


def test_a_verb_or_an_option_that_is_not_there_is_noticed() -> None:
    assert refused("latlab run psci --topologie 2,4")
    assert refused("latlab rum psci")
    assert not refused("latlab run psci --topology 2,4 # fine")
    assert sum(len(list(commands(page))) for page in PAGES) > 200
