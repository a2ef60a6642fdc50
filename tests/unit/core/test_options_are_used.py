# SPDX-License-Identifier: BSD-3-Clause
"""Each option that a verb declares is used: one that is taken and ignored would change nothing without a word."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import pytest
import typer.main

from latlab.core.cli.app import app
from support.places import ROOT

NAMES_USED = frozenset(
    node.attr
    for path in (ROOT / "src" / "latlab").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.Attribute)
)


def verbs(words: tuple[str, ...] = (), command: Any = None) -> Iterator[tuple[str, Any]]:
    command = command or typer.main.get_command(app)
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(words), inspect.unwrap(command.callback)
        return
    for name, one in inner.items():
        yield from verbs((*words, name), one)


VERBS = dict(verbs())


def unused(function: Any) -> list[str]:
    """Its parameters that its body does not name, and fields of its groups of options that no code reads."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    body = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)).body
    named = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    parameters = inspect.signature(function).parameters
    groups = [hint for hint in get_type_hints(function).values() if isinstance(hint, type) and is_dataclass(hint)]
    of_groups = [f"{group.__name__}.{field.name}" for group in groups for field in fields(group) if field.name not in NAMES_USED]
    return [*(name for name in parameters if name not in named), *of_groups]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_uses_each_of_its_options(verb: str) -> None:
    ignored = unused(VERBS[verb])
    assert not ignored, f"latlab {verb} ignores {', '.join(ignored)}: use it or take it out"


def test_an_option_that_is_ignored_would_be_noticed() -> None:
    def verb(used: int, ignored: int = 0) -> int:
        return used

    assert unused(verb) == ["ignored"]
