# SPDX-License-Identifier: BSD-3-Clause
"""The names of the last release: each still works, names the new one on standard error, and is in no help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer.main

from latlab.core.cli.app import app
from latlab.core.cli.old_names import OPTIONS, VERBS, current
from support.command import latlab

V9, V10 = "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"
LONGEST_HELP = 50


def commands(words: tuple[str, ...] = (), command: Any = None) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb and group of verbs."""
    command = command or typer.main.get_command(app)
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands((*words, name), inner)


EVERY = dict(commands())
TAKEN = {words: {text for one in command.params for text in one.opts} for words, command in EVERY.items()}


def options_of(words: Any) -> set[str]:
    known = next(tuple(words[:count]) for count in range(len(words), -1, -1) if tuple(words[:count]) in TAKEN)
    return TAKEN[known]


@pytest.mark.parametrize("old", VERBS)
def test_each_old_verb_leads_to_a_verb_and_is_in_no_help(old: str) -> None:
    words, notices = current([*old.split(), "x"], options_of)
    assert words == [*VERBS[old], "x"]
    assert notices == [f"`latlab {old}` is now `latlab {' '.join(VERBS[old])}`; the next release accepts only the new name"]
    assert tuple(takewhile(lambda word: not word.startswith("-"), VERBS[old])) in EVERY
    assert old == "guest" or tuple(old.split()) not in EVERY


@pytest.mark.parametrize("old", OPTIONS)
def test_each_old_option_is_taken_where_the_new_one_is_and_is_in_no_help(old: str) -> None:
    verbs = [words for words, taken in TAKEN.items() if OPTIONS[old] in taken]
    assert verbs and not any(old in taken for taken in TAKEN.values())
    for verb in verbs:
        words, notices = current([*verb, f"{old}=3x", "--", old], options_of)
        assert words == [*verb, f"{OPTIONS[old]}=3x", "--", old]
        assert notices == [f"`{old}` is now `{OPTIONS[old]}`; the next release accepts only the new name"]


def test_an_old_option_of_another_verb_is_left_to_the_parser() -> None:
    assert current(["ls", "--on", "virt"], options_of) == (["ls", "--on", "virt"], [])


@pytest.mark.parametrize("line", [["gate", "last", "--masked-below", "501"], ["gate", "last", "--masked-below=501"]])
def test_the_old_limit_of_masked_interrupts_was_the_first_that_fails(line: list[str]) -> None:
    assert current(line, options_of)[0] == ["gate", "last", "--max-masked=500"]
    assert current(["gate", "last", "--masked-below", "x"], options_of)[0] == ["gate", "last", "--max-masked=x"]


@pytest.mark.parametrize("line", [["guest", "build"], ["guest", "--help"], ["guest", "-h"], ["identify"], []])
def test_a_new_name_has_no_notice(line: list[str]) -> None:
    assert current(line, options_of) == (line, [])


def test_an_old_verb_does_what_it_did(tmp_path: Path) -> None:
    old, new = latlab("tail", V9, "--test", "cpu_susp_serial"), latlab("extremes", V9, "--test", "cpu_susp_serial")
    assert (old.stdout, old.returncode) == (new.stdout, new.returncode)
    assert old.stderr == f"`latlab tail` is now `latlab extremes`; the next release accepts only the new name\n{new.stderr}"
    emptied = latlab("prune", "--before", "2020-01-01", store=tmp_path / "s.db")
    assert emptied.stderr.startswith("`latlab prune` is now `latlab runs prune`") and "no run to remove" in emptied.stderr


def test_an_old_option_does_what_it_did() -> None:
    old, new = latlab("compare", V9, V10, "--across", "nothing"), latlab("compare", V9, V10, "--allow-different", "nothing")
    assert (old.stdout, old.returncode) == (new.stdout, new.returncode) == ("", 2)
    assert old.stderr.splitlines()[1:] == new.stderr.splitlines() and "`--across` is now `--allow-different`" in old.stderr


def test_the_help_has_the_new_names_only() -> None:
    listed = re.findall(r"^  ([a-z][a-z-]*)  ", latlab("--help").stdout, re.MULTILINE)
    assert {"identify", "extremes", "check-dt", "runs", "guest", "serve"} <= {*listed}
    assert not {*listed} & ({*VERBS} - {"guest"})


@pytest.mark.parametrize("words", [words for words in EVERY if words], ids=" ".join)
def test_the_help_line_of_each_verb_is_short(words: tuple[str, ...]) -> None:
    assert 0 < len(EVERY[words].get_short_help_str(1000)) <= LONGEST_HELP


def test_the_experiment_that_was_a_verb_names_its_files() -> None:
    said = latlab("run", "rt-trng", "--doses", "0,50,100")
    assert said.returncode == 2 and not said.stdout
    assert "`latlab run rt-trng` is now `latlab design run` with the file trng.toml" in said.stderr
