# SPDX-License-Identifier: BSD-3-Clause
"""Manifests as trees whose every value knows its line: JSON by the standard library, YAML by PyYAML where that is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

DEPTH_LIMIT = 32
VALUES_LIMIT = 20_000


class ManifestError(Exception):
    """One sentence that begins with file and line."""


@dataclass(frozen=True)
class Node:
    """A value of a manifest: a scalar, a list of nodes or a dict of nodes."""

    value: Any
    file: str
    line: int

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    def error(self, sentence: str) -> ManifestError:
        return ManifestError(f"{self.where}: {sentence}")


def load(path: Path) -> Node:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}:1: byte {error.start} is no UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise ManifestError(f"{path}:1: cannot be read: {error.strerror}") from None
    return parse(text, str(path), is_json=path.suffix == ".json")


def parse(text: str, file: str, is_json: bool) -> Node:
    try:
        return _from_json(text, file) if is_json else _from_yaml(text, file)
    except RecursionError:
        raise ManifestError(f"{file}:1: lists and objects lie too deep in each other; a manifest needs four levels") from None


def _from_json(text: str, file: str) -> Node:
    def line_of(place: int) -> int:
        return text.count("\n", 0, place) + 1

    def with_line(scan: Callable[[str, int], tuple[Any, int]]) -> Callable[[str, int], tuple[Node, int]]:
        def scan_with_line(string: str, place: int) -> tuple[Node, int]:
            value, end = scan(string, place)
            return Node(value, file, line_of(place)), end

        return scan_with_line

    def unique(pairs: list[tuple[str, Node]]) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key, node in pairs:
            if key in found:
                raise node.error(f"the key {key!r} stands twice in one object; keep one")
            found[key] = node
        return found

    def no_number(word: str) -> None:
        raise json.JSONDecodeError(f"{word} is no number of JSON", text, max(text.find(word), 0))

    decoder: Any = json.JSONDecoder(parse_constant=no_number, object_pairs_hook=unique)
    decoder.parse_object = lambda place, strict, scan, hook, pairs, memo: JSONObject(place, strict, with_line(scan), hook, pairs, memo)
    decoder.parse_array = lambda place, scan: JSONArray(place, with_line(scan))
    scan = with_line(py_make_scanner(decoder))
    begin = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        node, end = scan(text, begin)
        if text[end:].strip(" \t\r\n"):
            raise json.JSONDecodeError("Extra data", text, end)
    except StopIteration as error:
        raise ManifestError(f"{file}:{line_of(int(error.value))}: here a value is missing") from None
    except json.JSONDecodeError as error:
        raise ManifestError(f"{file}:{error.lineno}: not JSON: {error.msg} (column {error.colno})") from None
    except ValueError as error:
        raise ManifestError(f"{file}:1: not JSON: {error}") from None
    return node


def _from_yaml(text: str, file: str) -> Node:
    try:
        import yaml
    except ImportError:
        raise ManifestError(f"{file}:1: to read YAML the Python package PyYAML is needed; install it, or write JSON") from None
    count = 0

    def convert(node: Any, depth: int) -> Node:
        nonlocal count
        count += 1
        line = node.start_mark.line + 1
        if depth > DEPTH_LIMIT or count > VALUES_LIMIT:
            raise ManifestError(f"{file}:{line}: too many values or levels for a manifest")
        if isinstance(node, yaml.SequenceNode):
            return Node([convert(item, depth + 1) for item in node.value], file, line)
        if isinstance(node, yaml.MappingNode):
            found: dict[str, Node] = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise ManifestError(f"{file}:{key.start_mark.line + 1}: a key has to be a word")
                if key.value in found:
                    raise ManifestError(f"{file}:{key.start_mark.line + 1}: the key {key.value!r} stands twice in one object; keep one")
                found[key.value] = convert(value, depth + 1)
            return Node(found, file, line)
        return Node(loader.construct_object(node), file, line)

    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        return Node(None, file, 1) if root is None else convert(root, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ManifestError(f"{file}:{mark.line + 1 if mark else 1}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ManifestError(f"{file}:1: not YAML: {' '.join(str(error).split())}") from None
    except ValueError as error:
        raise ManifestError(f"{file}:1: not YAML: {error}") from None
