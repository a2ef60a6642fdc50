# SPDX-License-Identifier: BSD-3-Clause
"""What the program `psa_calls` is told and where it lies, as bytes; probe/programs/psa_calls/params.h is the other side."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from latlab.calls.targets.subject import flat_program
from latlab.core.errors import UsageError
from latlab.psa.targets.psa_subject import FLAT_PROGRAM, MOST_VECTORS, PARAMETERS, PsaCall, PsaSubject, find_psa_program

MAGIC = 0x3150434C
HEADER_WORDS = 11
CALL_WORDS = 22
STACK_BYTES = 0x4000
VECTOR_STACK, VECTOR_ENTRY, VECTOR_PARAMETERS = 0, 4, 28


@dataclass(frozen=True, slots=True)
class Shots:
    """The interrupts into one call: the first so many instructions behind the timer's start, then one every `step`."""

    first: int
    step: int
    count: int


NONE = Shots(0, 0, 0)


def write_program(subject: PsaSubject, folder: Path, iterations: int, priority: int, shots: Mapping[str, Shots]) -> None:
    """The program for where the subject has its non-secure side, and its parameters. Raises UsageError where they do not fit."""
    parameters = parameters_of(subject, iterations, priority, shots)
    needed = len(parameters) + max(sum(call.outputs) for call in subject.calls) + STACK_BYTES
    if needed > subject.ram_bytes:
        raise UsageError(f"the calls need {needed} bytes of non-secure memory, {subject.name} has {subject.ram_bytes}", "send less")
    (folder / FLAT_PROGRAM).write_bytes(placed_program(find_psa_program(), subject))
    (folder / PARAMETERS).write_bytes(parameters)


def placed_program(program: Path, subject: PsaSubject) -> bytes:
    """It runs anywhere; the words of its vector table that are addresses are told it here."""
    image = bytearray(flat_program(program))
    (entry,) = struct.unpack_from("<I", image, VECTOR_ENTRY)
    struct.pack_into("<I", image, VECTOR_STACK, subject.ram + subject.ram_bytes)
    struct.pack_into("<I", image, VECTOR_ENTRY, entry + subject.code)
    struct.pack_into("<I", image, VECTOR_PARAMETERS, subject.ram)
    return bytes(image)


def parameters_of(subject: PsaSubject, iterations: int, priority: int, shots: Mapping[str, Shots]) -> bytes:
    behind = 4 * (HEADER_WORDS + CALL_WORDS * len(subject.calls))
    data = bytearray()
    rows = b"".join(_call(subject, call, shots.get(call.name, NONE), behind, data) for call in subject.calls)
    size = behind + len(data)
    head = struct.pack("<11I", MAGIC, size, subject.console, iterations, priority, *subject.veneers, len(subject.calls))
    return head + rows + bytes(data)


def _call(subject: PsaSubject, call: PsaCall, shots: Shots, behind: int, data: bytearray) -> bytes:
    """One row; its inputs go to the end of `data`, each at a multiple of 8."""
    offsets = []
    for input_data in call.inputs:
        data += bytes(-(behind + len(data)) % 8)
        offsets.append(behind + len(data))
        data += input_data
    control = call.type & 0xFFFF | len(call.inputs) << subject.in_shift | len(call.outputs) << subject.out_shift
    numbers = (call.kind, call.service, call.version, control)
    vectors = (*_four(offsets), *_four([len(payload) for payload in call.inputs]), *_four(call.outputs))
    sweep = (shots.first, shots.step, shots.count)
    return struct.pack("<4Ii17I", *numbers, call.expected, len(call.inputs), len(call.outputs), *vectors, *sweep)


def _four(values: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    return (*values, *(0,) * (MOST_VECTORS - len(values)))
