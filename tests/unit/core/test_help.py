# SPDX-License-Identifier: BSD-3-Clause
"""The help of every verb: two examples that its parser takes, groups of options, exit codes, the manual page; nothing is cut."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from latlab.core.cli.app import app
from latlab.core.cli.examples import EXAMPLES
from latlab.core.cli.help import EXIT_CODES, PRINTED, records_by_group


def verbs() -> Iterator[tuple[str, Any, Any]]:
    """(words, command, context) of each verb that is no group."""
    root: Any = typer.main.get_command(app)
    yield from _verbs(root, root.context_class(root, info_name="latlab", terminal_width=80))


def _verbs(command: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner.hidden:
            continue
        under = inner.context_class(inner, info_name=name, parent=context, terminal_width=80)
        if hasattr(inner, "list_commands"):
            yield from _verbs(inner, under)
        else:
            yield under.command_path.partition(" ")[2], inner, under


VERBS = {words: (command, context) for words, command, context in verbs()}


def test_every_verb_has_examples_and_every_example_a_verb() -> None:
    assert EXAMPLES.keys() == VERBS.keys()


@pytest.mark.parametrize(("words", "example"), [(words, example) for words, examples in EXAMPLES.items() for example in examples])
def test_an_example_is_a_command_that_its_verb_takes(words: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with the logs and the folder that an example names."""
    monkeypatch.chdir(tmp_path)
    for name in ("docs/perf/data/juno", "data"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("console.log", "one.log", "two.log"):
        (tmp_path / name).touch()
    command, context = VERBS[words]
    typed = shlex.split(example)
    assert typed[: 1 + len(words.split())] == ["latlab", *words.split()]
    command.make_context(words.split()[-1], typed[1 + len(words.split()) :], parent=context.parent)


@pytest.mark.parametrize("words", VERBS)
def test_the_help_begins_with_its_examples_and_ends_with_exit_codes_and_the_manual_page(words: str) -> None:
    command, context = VERBS[words]
    text = command.get_help(context)
    usage, examples, *_ = text.split("\n\n")
    assert usage.startswith(f"Usage: latlab {words}")
    assert examples.splitlines() == ["Examples:", *(f"  {example}" for example in EXAMPLES[words])]
    assert all(re.search(rf"^  {code} +{re.escape(meaning)}$", text, re.MULTILINE) for code, meaning in EXIT_CODES)
    assert text.rstrip().endswith(f"Manual page: man latlab-{words.replace(' ', '-')}")


@pytest.mark.parametrize("words", VERBS)
def test_options_are_in_groups_and_none_is_left_out(words: str) -> None:
    command, context = VERBS[words]
    groups = records_by_group(command, context)
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    assert sorted(record for group in groups.values() for record in group) == sorted(filter(None, records))
    assert ("--help" in " ".join(name for name, _ in groups[PRINTED])) and list(groups)[-1] == PRINTED


@pytest.mark.parametrize("columns", [40, 60])
def test_a_narrow_terminal_breaks_descriptions_and_cuts_none(columns: int) -> None:
    root: Any = typer.main.get_command(app)
    context = root.context_class(root, info_name="latlab", terminal_width=columns)
    shown = " ".join(root.get_help(context).split())
    for name in root.list_commands(context):
        inner = root.get_command(context, name)
        assert inner.hidden or inner.get_short_help_str(1000) in shown, name
        if hasattr(inner, "list_commands"):
            listed = " ".join(inner.get_help(inner.context_class(inner, info_name=name, parent=context, terminal_width=columns)).split())
            assert all(verb.get_short_help_str(1000) in listed for verb in inner.commands.values()), name


MOST_OPTIONS = 10
LONGEST_LINE = 50


@pytest.mark.parametrize("words", VERBS)
def test_no_group_of_options_has_more_than_ten(words: str) -> None:
    command, context = VERBS[words]
    sizes = {title: len(records) for title, records in records_by_group(command, context).items()}
    assert {title: size for title, size in sizes.items() if size > MOST_OPTIONS} == {}


def test_an_option_of_one_name_has_one_kind_of_value_in_all_verbs() -> None:
    """`--limit` was a number of runs, a number of bytes and a limit of a figure."""
    kinds = {
        (words, type(option.type).__name__)
        for words, (command, _) in VERBS.items()
        for option in command.params
        if "--limit" in option.opts
    }
    assert {words for words, _ in kinds} == {"gate"}


@pytest.mark.parametrize("words", VERBS)
def test_the_line_of_each_verb_in_a_list_is_short(words: str) -> None:
    assert 0 < len(VERBS[words][0].get_short_help_str(1000)) <= LONGEST_LINE
