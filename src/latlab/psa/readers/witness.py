# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the witness, the plugin that watches an attacked machine; probe/witness.c says what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from latlab.psa.model import Access, Observation


@dataclass(slots=True)
class Witness:
    """By the number of the attack. `under_way` is the last one that began, None where none did."""

    by_attack: dict[int, Observation] = field(default_factory=dict)
    seals: list[int] = field(default_factory=list)
    under_way: int | None = None
    shot: int = 0
    damaged: int = 0


def empty_observation() -> Observation:
    return Observation([], [], [], [], [])


def read_witness(lines: Iterable[str]) -> Witness:
    """Reads whatever is there: a machine that was ended may have left half a line."""
    log = Witness()
    for line in lines:
        try:
            _take(log, line.split())
        except (ValueError, IndexError):
            log.damaged += 1
    return log


def _take(log: Witness, words: list[str]) -> None:
    match words[0]:
        case "K":
            log.seals.append(int(words[1], 16))
        case "M":
            number = int(words[1]) - 1
            if number >= 0:
                log.under_way = number
        case "B":
            return
        case "Z":
            observation = _of(log, log.under_way or 0)
            observation.ended, observation.ended_pc, log.shot = words[1], int(words[2], 16), int(words[3])
        case kind:
            _of_attack(_of(log, int(words[1]) - 1), kind, words[2:])


def _of(log: Witness, number: int) -> Observation:
    return log.by_attack.setdefault(number, empty_observation())


def _of_attack(observation: Observation, kind: str, words: list[str]) -> None:
    match kind:
        case "E":
            pc, opcode = int(words[1], 16), int(words[2], 16)
            if words[3] == "gate":
                observation.gates.append(pc)
            else:
                observation.strange.append((pc, opcode))
        case "S" | "L":
            access = Access(int(words[1], 16), int(words[2], 16), int(words[3]), int(words[4], 16))
            (observation.stores if kind == "S" else observation.loads).append(access)
        case "P" | "Q":
            stack = (int(words[0], 16), int(words[1], 16), int(words[2], 16))
            observation.process_stack, observation.main_stack = (
                (stack, observation.main_stack) if kind == "P" else (observation.process_stack, stack)
            )
        case "W":
            observation.spent.append(int(words[0]))
        case _:
            raise ValueError(kind)
