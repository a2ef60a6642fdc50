# SPDX-License-Identifier: BSD-3-Clause
"""A small program of EL1 that calls EL3, traced by an ETMv4: the packets, the snapshot folder, and what it executed, counted as it runs."""

from __future__ import annotations

import random
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

EL1, EL3 = 1, 7
CODE_EL1, CODE_EL3 = 0x80000, 0x40000
VECTOR = CODE_EL3 + 0x400
ADD, SMC, ERET, SKIP_ONE, LOOP = 0x8B020020, 0xD4000003, 0xD69F03E0, 0xB4000040, 0x14000000
SYNC = bytes(11) + b"\x80"
TRACE_ON, OVERFLOW = b"\x04", b"\x00\x05"
CYCLE_COUNTING = 0x10
CALL = 2
INDEX = "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu.ini\ndevice1=etm.ini\n[trace]\nmetadata=trace.ini\n"
CORE = """[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53
[dump1]\nfile=el1.bin\naddress={el1:#x}\nspace=EL1N
[dump2]\nfile=el3.bin\naddress={el3:#x}\nspace=EL3
"""
TRACE_UNIT = """[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4
[regs]\nTRCCONFIGR(0x004)={config:#x}\nTRCTRACEIDR(0x010)=0x10\nTRCIDR0(0x078)=0x280000a1\nTRCIDR1(0x079)=0x4100f403\nTRCIDR2(0x07a)=0x488
"""
TRACE = """[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=BUFFER\nfile=trace.bin\nformat=source_data
[source_buffers]\nETM_0=BUFFER\n[core_trace_sources]\ncpu_0=ETM_0
"""


def address_packet(address: int, context: int | None = None) -> bytes:
    """A long address of A64 code; with the exception level and the security state that follow."""
    low = bytes([address >> 2 & 0x7F, address >> 9 & 0x7F]) + (address >> 16).to_bytes(6, "little")
    return b"\x9d" + low if context is None else b"\x85" + low + bytes([context])


def context_of(world: int) -> int:
    return 0x13 if world == EL3 else 0x31


def atom(is_taken: bool) -> bytes:
    return b"\xf7" if is_taken else b"\xf6"


def exception_packet(return_address: int) -> bytes:
    return bytes([0x06, CALL << 1 | 1]) + address_packet(return_address)


def cycle_packet(count: int) -> bytes:
    return bytes([0x0E, count & 0x7F])


@dataclass(slots=True)
class MadeSnapshot:
    """`calls` are the instructions in EL3 of each call that is whole, `ticks` its cycles."""

    trace: bytes
    el1: bytes
    el3: bytes
    has_cycles: bool
    instructions: Counter[int] = field(default_factory=Counter)
    calls: list[int] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)
    overflows: int = 0

    def write(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        config = 1 | (CYCLE_COUNTING if self.has_cycles else 0)
        texts = {"snapshot": INDEX, "cpu": CORE.format(el1=CODE_EL1, el3=CODE_EL3), "etm": TRACE_UNIT.format(config=config), "trace": TRACE}
        for name, text in texts.items():
            (folder / f"{name}.ini").write_text(text)
        for name, data in (("trace", self.trace), ("el1", self.el1), ("el3", self.el3)):
            (folder / f"{name}.bin").write_bytes(data)
        return folder


def make_snapshot(seed: int, calls: int = 10, has_cycles: bool = False, lost: frozenset[int] = frozenset()) -> MadeSnapshot:
    """In the calls whose numbers are in `lost` the trace unit overflows in EL3, and traces again behind the return."""
    chance = random.Random(seed)
    before, behind = chance.randrange(1, 30), chance.randrange(1, 30)
    handler = [ADD] * before + [SKIP_ONE, ADD] + [ADD] * behind + [ERET]
    lengths = [chance.randrange(1, 40) for _ in range(calls)]
    normal = [word for length in lengths for word in (*[ADD] * length, SMC)] + [ADD, LOOP]
    made = MadeSnapshot(b"", _packed(normal), bytes(VECTOR - CODE_EL3) + _packed(handler), has_cycles)
    begin = (SYNC, b"\x01\x01" + (b"\x01" if has_cycles else b"\x00"), TRACE_ON)
    packets = [*begin, address_packet(CODE_EL1, context_of(EL1))]
    place = CODE_EL1
    for number, length in enumerate(lengths):
        place += 4 * (length + 1)
        made.instructions[EL1] += length + 1
        packets += [exception_packet(place), *([cycle_packet(chance.randrange(1, 99))] if has_cycles else [])]
        packets.append(address_packet(VECTOR, context_of(EL3)))
        is_skipped = chance.random() < 0.5
        packets.append(atom(is_skipped))
        made.instructions[EL3] += before + 1
        if number in lost:
            made.overflows += 1
            packets += [OVERFLOW, *begin]
        else:
            ran = before + 1 + (not is_skipped) + behind + 1
            made.instructions[EL3] += ran - before - 1
            made.calls.append(ran)
            packets.append(atom(True))
            if has_cycles:
                made.ticks.append(chance.randrange(1, 99))
                packets.append(cycle_packet(made.ticks[-1]))
        packets.append(address_packet(place, context_of(EL1)))
    made.instructions[EL1] += 2
    made.trace = b"".join((*packets, atom(True)))
    return made


def _packed(words: list[int]) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def mutants(trace: bytes, seed: int, count: int) -> list[bytes]:
    """Cut, with a byte changed, with a part removed, with two parts swapped."""
    chance = random.Random(seed)
    changed = []
    for number in range(count):
        first, second = sorted(chance.sample(range(len(SYNC), len(trace)), 2))
        match number % 4:
            case 0:
                changed.append(trace[:first])
            case 1:
                changed.append(trace[:first] + bytes([chance.randrange(256)]) + trace[first + 1 :])
            case 2:
                changed.append(trace[:first] + trace[min(second, first + 20) :])
            case _:
                changed.append(trace[:first] + trace[second:] + trace[first:second])
    return changed
