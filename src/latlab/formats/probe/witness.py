# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the witness, the plugin that watches an attacked machine; probe/witness.c says what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from latlab.model.attacks import Access, Seen


@dataclass(slots=True)
class Witness:
    """By the number of the attack. `under_way` is the last one that began, None where none did."""

    seen: dict[int, Seen] = field(default_factory=dict)
    seals: list[int] = field(default_factory=list)
    under_way: int | None = None
    shot: int = 0
    damaged: int = 0


def nothing_seen() -> Seen:
    return Seen([], [], [], [], [])


def read_witness(lines: Iterable[str]) -> Witness:
    """Reads whatever is there: a machine that was ended may have left half a line."""
    found = Witness()
    for line in lines:
        try:
            _take(found, line.split())
        except (ValueError, IndexError):
            found.damaged += 1
    return found


def _take(found: Witness, words: list[str]) -> None:
    match words[0]:
        case "K":
            found.seals.append(int(words[1], 16))
        case "M":
            number = int(words[1]) - 1
            if number >= 0:
                found.under_way = number
        case "B":
            return
        case "Z":
            seen = _of(found, found.under_way or 0)
            seen.ended, seen.ended_pc, found.shot = words[1], int(words[2], 16), int(words[3])
        case kind:
            _of_attack(_of(found, int(words[1]) - 1), kind, words[2:])


def _of(found: Witness, number: int) -> Seen:
    return found.seen.setdefault(number, nothing_seen())


def _of_attack(seen: Seen, kind: str, words: list[str]) -> None:
    match kind:
        case "E":
            pc, opcode = int(words[1], 16), int(words[2], 16)
            if words[3] == "gate":
                seen.gates.append(pc)
            else:
                seen.strange.append((pc, opcode))
        case "S" | "L":
            access = Access(int(words[1], 16), int(words[2], 16), int(words[3]), int(words[4], 16))
            (seen.stores if kind == "S" else seen.loads).append(access)
        case "P" | "Q":
            stack = (int(words[0], 16), int(words[1], 16), int(words[2], 16))
            seen.process_stack, seen.main_stack = (stack, seen.main_stack) if kind == "P" else (seen.process_stack, stack)
        case "W":
            seen.spent.append(int(words[0]))
        case _:
            raise ValueError(kind)
