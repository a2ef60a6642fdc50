# SPDX-License-Identifier: BSD-3-Clause
"""Calls by the names that the program gives them which makes them: one function number may serve many purposes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from latlab.calls.analysis.calls import CALLS, NOT_RECORDED, WorldCall
from latlab.calls.analysis.marked import PSCI_FEATURES

MARK_NAME = 0x4C4D0005
WORD_BYTES = 8


class OwnNames:
    """Feed it calls in the order of their returns. A mark names all that its core calls behind it, up to the next one; an empty name says
    that the function's own is enough. Marks are no calls."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def feed(self, calls: Iterable[WorldCall]) -> Iterator[WorldCall]:
        for call in calls:
            name = _label_of(call)
            if name is not None:
                self._names[call.core] = name
            else:
                yield _named(call, self._names.get(call.core, ""))


def _label_of(call: WorldCall) -> str | None:
    """The name in a mark; None for a call that is none, or names nothing that can be read."""
    if call.entry.function != PSCI_FEATURES:
        return None
    if len(call.registers) < (4 if call.registers[1:2] == (MARK_NAME,) else 2):
        return f"label {NOT_RECORDED}"
    return text_of(call.registers[2:4]) if call.registers[1] == MARK_NAME else None


def text_of(words: Iterable[int]) -> str | None:
    """What registers spell; None where that is no name."""
    letters = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words).rstrip(b"\0")
    text = letters.decode("ascii", "replace")
    return text if text.isprintable() and "/" not in text else None


def _named(call: WorldCall, name: str) -> WorldCall:
    if call.depth or call.entry.kind not in CALLS:
        return call
    return replace(call, entry=replace(call.entry, name=with_name(call.entry.name, name)))


def with_name(function: str, name: str) -> str:
    """`OPTEE_CALL_WITH_ARG (rng 64 bytes)`, `AFFINITY_INFO (64, self)`, or the function alone where it has no name."""
    if not name:
        return function
    return f"{function[:-1]}, {name})" if function.endswith(")") else f"{function} ({name})"
