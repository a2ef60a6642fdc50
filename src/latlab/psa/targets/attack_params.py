# SPDX-License-Identifier: BSD-3-Clause
"""What the program `psa_attacks` is told and where it lies, as bytes; probe/programs/psa_attacks/attacks.h is the other side."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import UsageError
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.qemu.probe import Plugin, find_plugin
from latlab.core.targets.tools import not_built, refuse_stale
from latlab.psa.model import Attack, CallStep, Operation
from latlab.psa.targets.psa_params import placed_program
from latlab.psa.targets.psa_subject import FLAT_PROGRAM, PARAMETERS, PsaSubject

PROGRAM = Path("spm", "psa_attacks.elf")
WITNESS = "witness"
MAGIC = 0x3141434C
MEMORY_BYTES = 0x8000
MARK_OFFSET = 0x200
ARENA_OFFSET = 0x1000
HEADER_BYTES, ATTACK_BYTES, STEP_BYTES = 24, 28, 28
STACK_BYTES = 0x8000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a series of attacks begins: at which one, and at which of its shots."""

    attack: int = 0
    shot: int = 0


def find_attack_program() -> Path:
    for base in search_folders():
        if (path := base / PROGRAM).is_file():
            refuse_stale(path, "spm")
            return path
    raise not_built(f"{PROGRAM} is in none of {', '.join(map(str, search_folders()))}", "spm")


def find_witness(qemu: Path, path: Path | None = None) -> Plugin:
    """The plugin that watches attacks. Raises UsageError where this QEMU takes none."""
    return find_plugin(WITNESS, qemu, path)


def write_attacks(subject: PsaSubject, folder: Path, attacks: Sequence[Attack], begin: Place) -> None:
    """The program for where the subject has its non-secure side, and its parameters. Raises UsageError where they do not fit."""
    parameters = parameters_of(subject, attacks, begin)
    if MEMORY_BYTES + len(parameters) + STACK_BYTES > subject.ram_bytes:
        raise UsageError(
            f"the attacks need {MEMORY_BYTES + len(parameters) + STACK_BYTES} bytes of non-secure memory, {subject.name} has less"
        )
    program = bytearray(placed_program(find_attack_program(), subject))
    struct.pack_into("<I", program, 28, subject.ram + MEMORY_BYTES)
    (folder / FLAT_PROGRAM).write_bytes(bytes(program))
    (folder / PARAMETERS).write_bytes(parameters)


def parameters_of(subject: PsaSubject, attacks: Sequence[Attack], begin: Place) -> bytes:
    steps = [(step, base) for attack, base in zip(attacks, _first_steps(attacks), strict=True) for step in attack.steps]
    step_offset = HEADER_BYTES + ATTACK_BYTES * len(attacks)
    behind = step_offset + STEP_BYTES * len(steps)
    data = bytearray()
    head = struct.pack("<6I", MAGIC, subject.console, len(attacks), begin.attack, begin.shot, step_offset)
    rows = b"".join(_attack(attack, base) for attack, base in zip(attacks, _first_steps(attacks), strict=True))
    return head + rows + b"".join(_step(step, base, behind, data) for step, base in steps) + bytes(data)


def _first_steps(attacks: Sequence[Attack]) -> list[int]:
    firsts, at = [], 0
    for attack in attacks:
        firsts.append(at)
        at += len(attack.steps)
    return firsts


def _attack(attack: Attack, first_step: int) -> bytes:
    """The step that a handler takes stands behind those that are taken in turn."""
    in_turn = len(attack.steps) - sum(step.then is not None for step in attack.steps)
    return struct.pack("<7I", first_step, in_turn, attack.first_shot, attack.shot_step, attack.shots, attack.shown, attack.shown_bytes)


def _step(step: CallStep, base: int, behind: int, data: bytearray) -> bytes:
    arguments = list(step.arguments)
    if step.words or step.operation is Operation.POKES:
        counts = {Operation.FILL: 4 * len(step.words), Operation.POKES: len(step.words) // 2, Operation.GUESS: len(step.words)}
        arguments[0], arguments[1] = behind + len(data), counts[step.operation]
        data += struct.pack(f"<{len(step.words)}I", *step.words)
    if step.then is not None:
        arguments[2] = base + step.then + 1
    return struct.pack("<7I", step.operation, step.flags, step.target, *(value & 0xFFFFFFFF for value in arguments))
