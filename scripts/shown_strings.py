# SPDX-License-Identifier: BSD-3-Clause
"""The strings of src/latlab that a user can see, collected from the syntax trees so that none is missed.

A string is shown if it has two words beside each other and is no code: messages, sentences, titles, help, heads of tables. A single word is
shown if it is an argument of a call that sets heads or counts things. The docstring of a command is its help; other docstrings, keys and
patterns are not shown.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path("src/latlab")
# What stands for the value of a field of an f-string: no word character, so that `cell{'s' * many}` still has the word `cell`.
FIELD = "…"
TWO_WORDS = re.compile(rf"(?:[A-Za-z]{{2}}|{FIELD})[,;:.)]* \(?[{FIELD}\w]")
SHELL = re.compile(r"^\w+=|\$[({\w]|&&|\|\||>/|>>|^set -|^exec |=\$|\bfi$|; then|/dev/null", re.MULTILINE)
OTHER_CODE = re.compile(
    r"=>|\(\?[:P<]|\\[bdsSw.*+(]|^<!?\w|[{};]\s*$|^\s*[.#@]\w+ *\{|^#include|SELECT |CREATE |PRAGMA|DELETE FROM|^-\w |^\w+\.\w+=|^%"
)
# Calls of which an argument of one word is shown.
HEADS = frozenset(
    {"words", "figures", "prose", "count", "Table", "Section", "TestTitle", "Caution", "Chart", "Option", "Argument", "Link", "Folded"}
)
# Calls of which no argument is shown.
UNSHOWN = frozenset(
    {"compile", "fullmatch", "match", "search", "finditer", "findall", "sub", "split", "startswith", "endswith", "getattr", "TypeVar"}
)
CATALOG = {"catalog/rules.toml": ("name", "ground"), "catalog/calls.toml": ()}


@dataclass(frozen=True, slots=True)
class Shown:
    path: Path
    line: int
    text: str


def shown_strings(root: Path) -> Iterator[Shown]:
    """Of every module of the package, and of the catalog's files with sentences in them."""
    package = root / PACKAGE
    for path in sorted(package.rglob("*.py")):
        for line, text in strings_of(path.read_text("utf-8")):
            yield Shown(path.relative_to(root), line, text)
    for name, keys in CATALOG.items():
        yield from _of_catalog(package / name, keys, root)


def strings_of(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each string of a module that is shown, the fields of f-strings as `FIELD`."""
    for line, text, is_head in _literals(ast.parse(source), False):
        if (is_head and re.search("[a-z]", text)) or is_prose(text):
            yield line, text


def is_prose(text: str) -> bool:
    return bool(TWO_WORDS.search(text)) and not SHELL.search(text) and not OTHER_CODE.search(text)


def _literals(node: ast.AST, is_head: bool) -> Iterator[tuple[int, str, bool]]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.lineno, node.value, is_head
        return
    if isinstance(node, ast.JoinedStr):
        yield node.lineno, _template(node), is_head
    if isinstance(node, ast.FunctionDef) and _is_command(node):
        yield node.lineno, ast.get_docstring(node) or "", True
    for child in _children(node):
        yield from _literals(child, isinstance(node, ast.Call) and _called(node) in HEADS)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Where a shown string may be: no docstring, key, pattern, or text between the fields of an f-string."""
    match node:
        case ast.JoinedStr():
            yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))
        case ast.Expr(ast.Constant()) | ast.Compare():
            return
        case ast.Subscript():
            yield node.value
            if isinstance(node.value, ast.Name) and node.value.id == "Annotated":
                yield node.slice
        case ast.Dict():
            yield from node.values
        case ast.Call() if _called(node) in UNSHOWN:
            yield node.func
        case _:
            yield from ast.iter_child_nodes(node)


def _is_command(function: ast.FunctionDef) -> bool:
    """A verb of the command line: typer reads its options from the annotations."""
    types = {name.id for each in function.args.args if each.annotation for name in ast.walk(each.annotation) if isinstance(name, ast.Name)}
    return not function.name.startswith("_") and any(name == "Annotated" or name.endswith("Option") for name in types)


def _template(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else FIELD for part in node.values)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def _of_catalog(path: Path, keys: tuple[str, ...], root: Path) -> Iterator[Shown]:
    text = path.read_text("utf-8")
    lines = text.split("\n")
    for row in _rows(tomllib.loads(text)):
        for key in keys:
            if value := row.get(key):
                yield Shown(path.relative_to(root), next(n for n, line in enumerate(lines, 1) if value in line), value)


def _rows(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for value in content.values():
        if isinstance(value, list):
            yield from (row for row in value if isinstance(row, dict))
