# SPDX-License-Identifier: BSD-3-Clause
"""Where code goes after its last instruction: a call, a return, a jump, by its opcode."""

from __future__ import annotations

from enum import Enum, auto

from latlab.calls.model.crossings import Arch, Context, Fragment


class Flow(Enum):
    """What an instruction may do beside going on behind itself. `JUMP` stays in a function as a rule, `LEAP` goes where a register says."""

    ON = auto()
    CALL = auto()
    RETURN = auto()
    JUMP = auto()
    LEAP = auto()
    EXCEPTION_RETURN = auto()


RISCV_LINKS = (1, 5)
RISCV_TRAP_RETURNS = (0x30200073, 0x10200073)
A64_BY_REGISTER = {0: Flow.LEAP, 1: Flow.CALL, 2: Flow.RETURN, 4: Flow.EXCEPTION_RETURN}


def last_instruction(arch: Arch, code: bytes) -> int:
    """The bits of the last instruction, 0 for no code. Outside AArch64 a fragment is one instruction."""
    return int.from_bytes(code[-4:] if arch is Arch.AARCH64 else code, "little")


def is_aarch32(fragment: Fragment) -> bool:
    """Whether a source says so that has no other contexts: of the plugin's, the fragments of AArch32 code are not decoded."""
    return bool(fragment.context & Context.AARCH32) and not fragment.context & Context.TOLD


def flow_of_fragment(arch: Arch, fragment: Fragment) -> Flow:
    """What its last instruction does, by the instruction set of the fragment. One of AArch32 is one instruction."""
    if not is_aarch32(fragment):
        return flow_of(arch, fragment.code)
    if fragment.context & Context.THUMB:
        return flow_of(Arch.ARMV8M, fragment.code)
    return _a32(int.from_bytes(fragment.code, "little"))


def flow_of(arch: Arch, code: bytes) -> Flow:
    """What the last instruction of a fragment does."""
    bits = last_instruction(arch, code)
    if arch is Arch.AARCH64:
        return _a64(bits)
    if arch is Arch.RISCV:
        return _riscv_short(bits) if len(code) == 2 else _riscv(bits)
    return _thumb_short(bits) if len(code) == 2 else _thumb(bits & 0xFFFF, bits >> 16)


def _a64(bits: int) -> Flow:
    if bits & 0xFC000000 == 0x94000000:
        return Flow.CALL
    if bits & 0xFE000000 == 0xD6000000:
        return A64_BY_REGISTER.get(bits >> 21 & 0x7, Flow.LEAP)
    is_branch = bits & 0xFC000000 == 0x14000000 or bits & 0xFE000000 == 0x54000000 or bits & 0x7C000000 == 0x34000000
    return Flow.JUMP if is_branch else Flow.ON


def _a32(bits: int) -> Flow:
    if bits >> 28 == 0xF:
        is_return = bits & 0xFE500000 == 0xF8100000
        return Flow.CALL if bits & 0xFE000000 == 0xFA000000 else Flow.EXCEPTION_RETURN if is_return else Flow.ON
    if bits & 0x0E000000 == 0x0A000000:
        return Flow.CALL if bits & 0x01000000 else Flow.JUMP
    if bits & 0x0FFFFFD0 == 0x012FFF10:
        return Flow.CALL if bits & 0x20 else Flow.RETURN if bits & 0xF == 14 else Flow.LEAP
    is_load = bits & 0x0E108000 == 0x08108000 or bits & 0x0C10F000 == 0x0410F000
    if is_load:
        is_exception = bits & 0x0E408000 == 0x08408000
        return Flow.EXCEPTION_RETURN if is_exception else Flow.RETURN if bits >> 16 & 0xF == 13 else Flow.LEAP
    return _a32_into_counter(bits)


def _a32_into_counter(bits: int) -> Flow:
    """Data processing whose result is the program counter: `mov pc, lr`, `subs pc, lr, #4`."""
    is_comparison = bits >> 23 & 0x3 == 2
    if bits & 0x0C00F000 != 0x0000F000 or is_comparison:
        return Flow.ON
    if bits & 0x00100000:
        return Flow.EXCEPTION_RETURN
    return Flow.RETURN if bits & 0x0FFFFFFF == 0x01A0F00E else Flow.LEAP


def _riscv(bits: int) -> Flow:
    opcode, target, base = bits & 0x7F, bits >> 7 & 0x1F, bits >> 15 & 0x1F
    if opcode == 0x6F:
        return Flow.CALL if target in RISCV_LINKS else Flow.JUMP
    if opcode == 0x67:
        if target in RISCV_LINKS:
            return Flow.CALL
        return Flow.RETURN if base in RISCV_LINKS else Flow.LEAP
    if opcode == 0x63:
        return Flow.JUMP
    return Flow.EXCEPTION_RETURN if bits in RISCV_TRAP_RETURNS else Flow.ON


def _riscv_short(bits: int) -> Flow:
    """Of 64 bits: the place of C.JAL is another instruction's there."""
    base = bits >> 7 & 0x1F
    if bits & 0xF07F == 0x9002 and base:
        return Flow.CALL
    if bits & 0xF07F == 0x8002 and base:
        return Flow.RETURN if base in RISCV_LINKS else Flow.LEAP
    is_branch = bits & 3 == 1 and bits >> 13 in (0b101, 0b110, 0b111)
    return Flow.JUMP if is_branch else Flow.ON


def _thumb_short(bits: int) -> Flow:
    if bits & 0xFF80 == 0x4780:
        return Flow.CALL
    if bits & 0xFF80 == 0x4700:
        return Flow.RETURN if bits >> 3 & 0xF == 14 else Flow.LEAP
    if bits & 0xFF00 == 0xBD00:
        return Flow.RETURN
    if bits & 0xFF87 == 0x4687:
        return Flow.LEAP
    is_conditional = bits & 0xF000 == 0xD000 and bits >> 9 & 0x7 != 0x7
    return Flow.JUMP if is_conditional or bits & 0xF800 == 0xE000 or bits & 0xF500 == 0xB100 else Flow.ON


def _thumb(first: int, second: int) -> Flow:
    if first & 0xF800 == 0xF000 and second & 0x8000:
        if second & 0xD000 == 0xD000:
            return Flow.CALL
        is_branch = second & 0x1000 or first & 0x0380 != 0x0380
        return Flow.JUMP if is_branch else Flow.ON
    if first & 0xFFF0 == 0xE8D0 and second & 0xFFE0 == 0xF000:
        return Flow.JUMP  # TBB, TBH
    pops = (first == 0xE8BD and second & 0x8000) or (first == 0xF85D and second == 0xFB04)
    return Flow.RETURN if pops else Flow.ON


def branch_target(arch: Arch, address: int, code: bytes) -> int | None:
    """Where a branch that names its target goes; None for calls and for all else."""
    bits = int.from_bytes(code, "little")
    if arch is Arch.AARCH64:
        return _a64_target(address, bits)
    if arch is Arch.RISCV and len(code) == 4 and bits & 0x7F == 0x63:
        offset = (bits >> 31) << 12 | (bits >> 7 & 1) << 11 | (bits >> 25 & 0x3F) << 5 | (bits >> 8 & 0xF) << 1
        return address + _signed(offset, 13)
    if arch is Arch.RISCV and len(code) == 2 and bits & 3 == 1 and bits >> 13 in (0b110, 0b111):
        offset = (bits >> 12 & 1) << 8 | (bits >> 5 & 3) << 6 | (bits >> 2 & 1) << 5 | (bits >> 10 & 3) << 3 | (bits >> 3 & 3) << 1
        return address + _signed(offset, 9)
    if arch is Arch.ARMV8M and len(code) == 2:
        return _thumb_target(address, bits)
    return None


def _a64_target(address: int, bits: int) -> int | None:
    if bits & 0xFC000000 == 0x14000000:
        return address + 4 * _signed(bits & 0x3FFFFFF, 26)
    if bits & 0xFE000000 == 0x54000000 or bits & 0x7E000000 == 0x34000000:
        return address + 4 * _signed(bits >> 5 & 0x7FFFF, 19)
    if bits & 0x7E000000 == 0x36000000:
        return address + 4 * _signed(bits >> 5 & 0x3FFF, 14)
    return None


def _thumb_target(address: int, bits: int) -> int | None:
    if bits & 0xF800 == 0xE000:
        return address + 4 + 2 * _signed(bits & 0x7FF, 11)
    if bits & 0xF000 == 0xD000 and bits >> 9 & 0x7 != 0x7:
        return address + 4 + 2 * _signed(bits & 0xFF, 8)
    return None


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value
