# SPDX-License-Identifier: BSD-3-Clause
"""What instructions are, by their opcodes: where code goes next, operations on caches, TLB and system registers, and kinds of cost.

The rows of A64 are the encodings of the Arm Architecture Reference Manual for A-profile (DDI 0487), chapter C4.1, "A64 instruction set
encoding": tables "Branches, Exception Generating and System instructions" and "Loads and Stores", and of "Atomic memory operations" those
of C4.1.94 whose `o3` and `opc` name loads and stores of one value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import lru_cache

from latlab.calls.model.crossings import Arch, Context, Fragment

A64_REGISTERS = {
    (3, 0, 1, 0, 0): "sctlr_el1", (3, 0, 1, 0, 1): "actlr_el1", (3, 0, 1, 0, 2): "cpacr_el1", (3, 0, 2, 0, 0): "ttbr0_el1",
    (3, 0, 2, 0, 1): "ttbr1_el1", (3, 0, 2, 0, 2): "tcr_el1", (3, 0, 4, 0, 0): "spsr_el1", (3, 0, 4, 0, 1): "elr_el1",
    (3, 0, 4, 1, 0): "sp_el0", (3, 0, 5, 1, 0): "afsr0_el1", (3, 0, 5, 1, 1): "afsr1_el1", (3, 0, 5, 2, 0): "esr_el1",
    (3, 0, 6, 0, 0): "far_el1", (3, 0, 7, 4, 0): "par_el1", (3, 0, 10, 2, 0): "mair_el1", (3, 0, 10, 3, 0): "amair_el1",
    (3, 0, 12, 0, 0): "vbar_el1", (3, 0, 13, 0, 1): "contextidr_el1", (3, 0, 13, 0, 4): "tpidr_el1", (3, 0, 14, 1, 0): "cntkctl_el1",
    (3, 0, 4, 6, 0): "icc_pmr_el1", (3, 0, 12, 8, 1): "icc_eoir0_el1", (3, 0, 12, 12, 1): "icc_eoir1_el1",
    (3, 0, 12, 11, 5): "icc_sgi1r_el1", (3, 0, 12, 11, 7): "icc_sgi0r_el1", (3, 0, 12, 12, 4): "icc_ctlr_el1",
    (3, 0, 12, 12, 5): "icc_sre_el1", (3, 0, 12, 12, 6): "icc_igrpen0_el1", (3, 0, 12, 12, 7): "icc_igrpen1_el1",
    (3, 3, 4, 2, 0): "nzcv", (3, 3, 4, 2, 1): "daif", (3, 3, 4, 4, 0): "fpcr", (3, 3, 4, 4, 1): "fpsr", (3, 3, 13, 0, 2): "tpidr_el0",
    (3, 3, 13, 0, 3): "tpidrro_el0", (3, 3, 9, 12, 0): "pmcr_el0", (3, 3, 14, 0, 0): "cntfrq_el0", (3, 3, 14, 2, 1): "cntp_ctl_el0",
    (3, 3, 14, 3, 1): "cntv_ctl_el0", (3, 4, 0, 0, 0): "vpidr_el2", (3, 4, 0, 0, 5): "vmpidr_el2", (3, 4, 1, 0, 0): "sctlr_el2",
    (3, 4, 1, 0, 1): "actlr_el2", (3, 4, 1, 1, 0): "hcr_el2", (3, 4, 1, 1, 1): "mdcr_el2", (3, 4, 1, 1, 2): "cptr_el2",
    (3, 4, 1, 1, 3): "hstr_el2", (3, 4, 2, 0, 0): "ttbr0_el2", (3, 4, 2, 0, 2): "tcr_el2", (3, 4, 2, 1, 0): "vttbr_el2",
    (3, 4, 2, 1, 2): "vtcr_el2", (3, 4, 4, 0, 0): "spsr_el2", (3, 4, 4, 0, 1): "elr_el2", (3, 4, 10, 2, 0): "mair_el2",
    (3, 4, 12, 0, 0): "vbar_el2", (3, 4, 12, 9, 5): "icc_sre_el2", (3, 4, 13, 0, 2): "tpidr_el2", (3, 4, 14, 0, 3): "cntvoff_el2",
    (3, 4, 14, 1, 0): "cnthctl_el2", (3, 4, 14, 2, 1): "cnthp_ctl_el2", (3, 6, 1, 0, 0): "sctlr_el3", (3, 6, 1, 0, 1): "actlr_el3",
    (3, 6, 1, 1, 0): "scr_el3", (3, 6, 1, 1, 2): "cptr_el3", (3, 6, 1, 3, 1): "mdcr_el3", (3, 6, 2, 0, 0): "ttbr0_el3",
    (3, 6, 2, 0, 2): "tcr_el3", (3, 6, 4, 0, 0): "spsr_el3", (3, 6, 4, 0, 1): "elr_el3", (3, 6, 10, 2, 0): "mair_el3",
    (3, 6, 12, 0, 0): "vbar_el3", (3, 6, 12, 12, 4): "icc_ctlr_el3", (3, 6, 12, 12, 5): "icc_sre_el3",
    (3, 6, 12, 12, 7): "icc_igrpen1_el3", (3, 6, 13, 0, 2): "tpidr_el3", (3, 1, 15, 2, 1): "cpuectlr_el1",
    (3, 2, 0, 0, 0): "csselr_el1", (3, 1, 15, 2, 0): "cpuactlr_el1", (3, 4, 4, 1, 0): "sp_el1", (2, 0, 0, 2, 0): "mdccint_el1",
    (2, 0, 1, 3, 4): "osdlr_el1", (2, 0, 1, 0, 4): "oslar_el1", (2, 0, 0, 2, 2): "mdscr_el1", (3, 0, 1, 2, 0): "zcr_el1",
    (3, 6, 1, 2, 0): "zcr_el3", (3, 0, 4, 2, 0): "spsel",
}  # fmt: skip
RISCV_REGISTERS = {
    0x100: "sstatus", 0x104: "sie", 0x105: "stvec", 0x106: "scounteren", 0x10A: "senvcfg", 0x140: "sscratch", 0x141: "sepc",
    0x142: "scause", 0x143: "stval", 0x144: "sip", 0x14D: "stimecmp", 0x180: "satp", 0x300: "mstatus", 0x301: "misa", 0x302: "medeleg",
    0x303: "mideleg", 0x304: "mie", 0x305: "mtvec", 0x306: "mcounteren", 0x30A: "menvcfg", 0x320: "mcountinhibit", 0x340: "mscratch",
    0x341: "mepc", 0x342: "mcause", 0x343: "mtval", 0x344: "mip", 0x3A0: "pmpcfg0", 0x3A2: "pmpcfg2", 0x600: "hstatus", 0x680: "hgatp",
    **{0x3B0 + number: f"pmpaddr{number}" for number in range(16)},
}  # fmt: skip
M_REGISTERS = {
    0: "apsr", 8: "msp", 9: "psp", 10: "msplim", 11: "psplim", 16: "primask", 17: "basepri", 18: "basepri_max", 19: "faultmask",
    20: "control", 0x88: "msp_ns", 0x89: "psp_ns", 0x8A: "msplim_ns", 0x8B: "psplim_ns", 0x90: "primask_ns", 0x91: "basepri_ns",
    0x93: "faultmask_ns", 0x94: "control_ns", 0x98: "sp_ns",
}  # fmt: skip


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
    return _flow_of_a32(int.from_bytes(fragment.code, "little"))


def flow_of(arch: Arch, code: bytes) -> Flow:
    """What the last instruction of a fragment does."""
    bits = last_instruction(arch, code)
    if arch is Arch.AARCH64:
        return _flow_of_a64(bits)
    if arch is Arch.RISCV:
        return _flow_of_riscv_short(bits) if len(code) == 2 else _flow_of_riscv(bits)
    return _flow_of_thumb_short(bits) if len(code) == 2 else _flow_of_thumb(bits & 0xFFFF, bits >> 16)


def _flow_of_a64(bits: int) -> Flow:
    if bits & 0xFC000000 == 0x94000000:
        return Flow.CALL
    if bits & 0xFE000000 == 0xD6000000:
        return A64_BY_REGISTER.get(bits >> 21 & 0x7, Flow.LEAP)
    is_branch = bits & 0xFC000000 == 0x14000000 or bits & 0xFE000000 == 0x54000000 or bits & 0x7C000000 == 0x34000000
    return Flow.JUMP if is_branch else Flow.ON


def _flow_of_a32(bits: int) -> Flow:
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


def _flow_of_riscv(bits: int) -> Flow:
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


def _flow_of_riscv_short(bits: int) -> Flow:
    """Of 64 bits: the place of C.JAL is another instruction's there."""
    base = bits >> 7 & 0x1F
    if bits & 0xF07F == 0x9002 and base:
        return Flow.CALL
    if bits & 0xF07F == 0x8002 and base:
        return Flow.RETURN if base in RISCV_LINKS else Flow.LEAP
    is_branch = bits & 3 == 1 and bits >> 13 in (0b101, 0b110, 0b111)
    return Flow.JUMP if is_branch else Flow.ON


def _flow_of_thumb_short(bits: int) -> Flow:
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


def _flow_of_thumb(first: int, second: int) -> Flow:
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


class Use(StrEnum):
    """Why an instruction is more than arithmetic. `SETS` are caches by set and way, `LINES` caches by address."""

    SETS = "cache by set and way"
    LINES = "cache by address"
    CODE_CACHE = "instruction cache"
    TLB = "TLB"
    BARRIER = "barrier"
    EXCLUSIVE = "exclusive"
    WAIT = "wait"
    REGISTER = "system register"


@dataclass(frozen=True, slots=True)
class SystemOperation:
    use: Use
    name: str


A64_CACHE = {
    (0, 7, 6, 2): SystemOperation(Use.SETS, "dc isw"),
    (0, 7, 10, 2): SystemOperation(Use.SETS, "dc csw"),
    (0, 7, 14, 2): SystemOperation(Use.SETS, "dc cisw"),
    (0, 7, 6, 1): SystemOperation(Use.LINES, "dc ivac"),
    (3, 7, 10, 1): SystemOperation(Use.LINES, "dc cvac"),
    (3, 7, 11, 1): SystemOperation(Use.LINES, "dc cvau"),
    (3, 7, 12, 1): SystemOperation(Use.LINES, "dc cvap"),
    (3, 7, 13, 1): SystemOperation(Use.LINES, "dc cvadp"),
    (3, 7, 14, 1): SystemOperation(Use.LINES, "dc civac"),
    (0, 7, 5, 0): SystemOperation(Use.CODE_CACHE, "ic iallu"),
    (0, 7, 1, 0): SystemOperation(Use.CODE_CACHE, "ic ialluis"),
    (3, 7, 5, 1): SystemOperation(Use.CODE_CACHE, "ic ivau"),
}
A64_TLBI = {
    (0, 7, 0): "vmalle1", (0, 3, 0): "vmalle1is", (0, 7, 1): "vae1", (0, 3, 1): "vae1is", (0, 7, 2): "aside1", (0, 3, 2): "aside1is",
    (4, 7, 0): "alle2", (4, 3, 0): "alle2is", (4, 7, 1): "vae2", (4, 3, 1): "vae2is", (4, 7, 4): "alle1", (4, 3, 4): "alle1is",
    (4, 7, 6): "vmalls12e1", (4, 3, 6): "vmalls12e1is", (6, 7, 0): "alle3", (6, 3, 0): "alle3is", (6, 7, 1): "vae3", (6, 3, 1): "vae3is",
}  # fmt: skip
A64_BARRIERS = {2: "clrex", 4: "dsb", 5: "dmb", 6: "isb", 7: "sb"}
A64_PSTATE = {(3, 6): "daifset", (3, 7): "daifclr", (0, 5): "spsel", (0, 4): "pan", (0, 3): "uao", (3, 1): "ssbs", (3, 2): "dit"}
A64_HINTS = {2: "wfe", 3: "wfi"}
RISCV_CBO = {0: "cbo.inval", 1: "cbo.clean", 2: "cbo.flush"}
THUMB_BARRIERS = {2: "clrex", 4: "dsb", 5: "dmb", 6: "isb"}
THUMB_EXCLUSIVES = {4: "b", 5: "h", 7: "d"}


def instructions_of(arch: Arch, fragment: Fragment) -> Iterator[tuple[int, bytes]]:
    """Address and code of each instruction. Outside AArch64 a fragment is one."""
    if arch is not Arch.AARCH64:
        yield fragment.address, fragment.code
        return
    for at in range(0, len(fragment.code), 4):
        yield fragment.address + at, fragment.code[at : at + 4]


def operation_of(arch: Arch, code: bytes) -> SystemOperation | None:
    """None for arithmetic, branches, and plain reads and writes of memory."""
    bits = int.from_bytes(code, "little")
    if arch is Arch.AARCH64:
        return _operation_of_a64(bits)
    if arch is Arch.RISCV:
        return _operation_of_riscv(bits) if len(code) == 4 else None
    return _operation_of_thumb(bits & 0xFFFF, bits >> 16) if len(code) == 4 else _operation_of_thumb_short(bits)


def _operation_of_a64(bits: int) -> SystemOperation | None:
    if bits & 0xFFF80000 == 0xD5080000:
        return _a64_sys(bits >> 16 & 7, bits >> 12 & 15, bits >> 8 & 15, bits >> 5 & 7)
    if bits & 0xFFFFF01F == 0xD503301F:
        name = A64_BARRIERS.get(bits >> 5 & 7)
        return SystemOperation(Use.EXCLUSIVE if name == "clrex" else Use.BARRIER, name) if name else None
    if bits & 0xFFFFF01F == 0xD503201F:
        name = A64_HINTS.get(bits >> 5 & 0x7F)
        return SystemOperation(Use.WAIT, name) if name else None
    if bits & 0xFFFFFFC0 == 0xD5031000:
        return SystemOperation(Use.WAIT, "wfit" if bits & 0x20 else "wfet")
    if bits & 0xFFF8F01F == 0xD500401F:
        op1, op2 = bits >> 16 & 7, bits >> 5 & 7
        return SystemOperation(Use.REGISTER, f"msr {A64_PSTATE.get((op1, op2), f'pstate {op1} {op2}')}")
    if bits & 0xFFF00000 == 0xD5100000:
        key = 2 + (bits >> 19 & 1), bits >> 16 & 7, bits >> 12 & 15, bits >> 8 & 15, bits >> 5 & 7
        return SystemOperation(Use.REGISTER, f"msr {A64_REGISTERS.get(key, 's{}_{}_c{}_c{}_{}'.format(*key))}")
    return _a64_memory(bits)


def _a64_sys(op1: int, crn: int, crm: int, op2: int) -> SystemOperation | None:
    if crn in (8, 9):
        return SystemOperation(Use.TLB, f"tlbi {A64_TLBI.get((op1, crm, op2), f'{op1} c{crn} c{crm} {op2}')}")
    return A64_CACHE.get((op1, crn, crm, op2))


def _a64_memory(bits: int) -> SystemOperation | None:
    if bits & 0x3F000000 == 0x08000000:
        if not bits & 0x00800000:
            is_load, is_pair_swap = bits & 0x00400000, bits & 0x80200000 == 0x00200000
            return SystemOperation(Use.EXCLUSIVE, "casp" if is_pair_swap else "ldxr" if is_load else "stxr")
        return SystemOperation(Use.EXCLUSIVE, "cas") if bits & 0x00200000 else None
    if bits & 0x3B200C00 == 0x38200000 and bits >> 12 & 0xF != 0xC:
        return SystemOperation(Use.EXCLUSIVE, "swp" if bits >> 12 & 0xF == 8 else "atomic")
    return None


def _operation_of_riscv(bits: int) -> SystemOperation | None:
    opcode, kind, target, base = bits & 0x7F, bits >> 12 & 7, bits >> 7 & 0x1F, bits >> 15 & 0x1F
    if opcode == 0x0F:
        if kind == 2:
            return SystemOperation(Use.LINES, name) if (name := RISCV_CBO.get(bits >> 20, "")) else None
        return SystemOperation(Use.CODE_CACHE, "fence.i") if kind == 1 else SystemOperation(Use.BARRIER, "fence")
    if opcode == 0x2F:
        name = {2: "lr", 3: "sc"}.get(bits >> 27, "amo")
        return SystemOperation(Use.EXCLUSIVE, name)
    if opcode != 0x73:
        return None
    if bits == 0x10500073:
        return SystemOperation(Use.WAIT, "wfi")
    if kind == 0:
        return SystemOperation(Use.TLB, "sfence.vma") if bits & 0xFE007FFF == 0x12000073 else None
    is_read = kind & 3 != 1 and base == 0  # sets or clears no bit
    number = bits >> 20
    return (
        None
        if is_read or (kind == 4 and not target)
        else SystemOperation(Use.REGISTER, f"csrw {RISCV_REGISTERS.get(number, f'{number:#x}')}")
    )


def _operation_of_thumb_short(bits: int) -> SystemOperation | None:
    name = {0xBF20: "wfe", 0xBF30: "wfi"}.get(bits)
    if name:
        return SystemOperation(Use.WAIT, name)
    return SystemOperation(Use.REGISTER, "cps") if bits & 0xFFE8 == 0xB660 else None


def _operation_of_thumb(first: int, second: int) -> SystemOperation | None:
    if first == 0xF3BF and second & 0xFF00 == 0x8F00:
        name = THUMB_BARRIERS.get(second >> 4 & 0xF)
        return SystemOperation(Use.EXCLUSIVE if name == "clrex" else Use.BARRIER, name) if name else None
    if first & 0xFFE0 == 0xF380 and second & 0xF000 == 0x8000:
        return SystemOperation(Use.REGISTER, f"msr {M_REGISTERS.get(second & 0xFF, f'{second & 0xFF:#x}')}")
    is_word, is_sized = first & 0xFFE0 == 0xE840, first & 0xFFE0 == 0xE8C0 and second >> 4 & 0xF in THUMB_EXCLUSIVES
    if is_word and (first & 0x10 or second & 0xF000 != 0xF000):  # TT has the place of a STREX to no register
        return SystemOperation(Use.EXCLUSIVE, "ldrex" if first & 0x10 else "strex")
    return SystemOperation(Use.EXCLUSIVE, "ldrex" if first & 0x10 else "strex") if is_sized else None


class OpcodeKind(Enum):
    """MEMORY reads or writes memory; the opcode does not show which. CHOICE branches or goes on; BRANCH and RAISE go elsewhere always."""

    PLAIN = auto()
    CHOICE = auto()
    BRANCH = auto()
    RAISE = auto()
    LOAD = auto()
    STORE = auto()
    MEMORY = auto()
    EXCLUSIVE = auto()
    DMB = auto()
    DSB = auto()
    ISB = auto()
    BARRIER = auto()
    SETS = auto()
    LINES = auto()
    CODE_CACHE = auto()
    TLB = auto()
    SYSTEM = auto()
    READ = auto()
    WRITE = auto()
    WAIT = auto()


K = OpcodeKind

# The first row whose value an opcode has under the mask says what it is; PLAIN where none has.
A64: tuple[tuple[int, int, OpcodeKind], ...] = (
    (0xFC000000, 0x14000000, K.BRANCH),  # B
    (0xFC000000, 0x94000000, K.BRANCH),  # BL
    (0xFF000000, 0x54000000, K.CHOICE),  # B.cond, BC.cond
    (0x7E000000, 0x34000000, K.CHOICE),  # CBZ, CBNZ
    (0x7E000000, 0x36000000, K.CHOICE),  # TBZ, TBNZ
    (0xFE000000, 0xD6000000, K.BRANCH),  # BR, BLR, RET, ERET, DRPS and those with pointer authentication
    (0xFF000000, 0xD4000000, K.RAISE),  # SVC, HVC, SMC, BRK, HLT, DCPS
    (0xFFFFF0FF, 0xD503305F, K.EXCLUSIVE),  # CLREX
    (0xFFFFF0FF, 0xD503309F, K.DSB),
    (0xFFFFF3FF, 0xD503323F, K.DSB),  # DSB nXS
    (0xFFFFF0FF, 0xD50330BF, K.DMB),
    (0xFFFFF0FF, 0xD50330DF, K.ISB),
    (0xFFFFFFFF, 0xD50330FF, K.BARRIER),  # SB
    (0xFFFFFFDF, 0xD503205F, K.WAIT),  # WFE, WFI
    (0xFFFFFFC0, 0xD5031000, K.WAIT),  # WFET, WFIT
    (0xFFFFFFDF, 0xD500401F, K.PLAIN),  # CFINV, XAFLAG: the flags
    (0xFFFFFFFF, 0xD500405F, K.PLAIN),  # AXFLAG
    (0xFFF8F01F, 0xD500401F, K.WRITE),  # MSR to a field of PSTATE
    (0xFFF8E000, 0xD5088000, K.TLB),  # TLBI
    (0xFFF8E000, 0xD5488000, K.TLB),  # TLBIP
    (0xFFFFFFE0, 0xD5087100, K.CODE_CACHE),  # IC IALLUIS
    (0xFFFFFFE0, 0xD5087500, K.CODE_CACHE),  # IC IALLU
    (0xFFFFFFE0, 0xD50B7520, K.CODE_CACHE),  # IC IVAU
    (0xFFFFFF00, 0xD50B7400, K.STORE),  # DC ZVA, GVA, GZVA
    (0xFFFFFF20, 0xD5087600, K.SETS),  # DC ISW, IGSW, IGDSW
    (0xFFFFFF20, 0xD5087A00, K.SETS),  # DC CSW, CGSW, CGDSW
    (0xFFFFFF20, 0xD5087E00, K.SETS),  # DC CISW, CIGSW, CIGDSW
    (0xFFFFFF20, 0xD5087620, K.LINES),  # DC IVAC, IGVAC, IGDVAC
    (0xFFFFF800, 0xD50B7800, K.LINES),  # DC CVAC, CVAU, CVAP, CVADP, CIVAC and theirs for tags
    (0xFFFFFF00, 0xD50C7E00, K.LINES),  # DC CIPAE
    (0xFFFFFF00, 0xD50E7E00, K.LINES),  # DC CIPAPA
    (0xFFD80000, 0xD5080000, K.SYSTEM),  # SYS, SYSL: AT, CFP and others
    (0xFFF80000, 0xD5480000, K.SYSTEM),  # SYSP
    (0xFFF00000, 0xD5100000, K.WRITE),  # MSR
    (0xFFF00000, 0xD5500000, K.WRITE),  # MSRR
    (0xFFF00000, 0xD5300000, K.READ),  # MRS
    (0xFFF00000, 0xD5700000, K.READ),  # MRRS
    (0x3F800000, 0x08000000, K.EXCLUSIVE),  # LDXR, STXR, LDXP, STXP, CASP
    (0x3FA00000, 0x08A00000, K.EXCLUSIVE),  # CAS
    (0x3FE00000, 0x08C00000, K.LOAD),  # LDAR, LDLAR
    (0x3FE00000, 0x08800000, K.STORE),  # STLR, STLLR
    (0x3FE0FC00, 0x38A0C000, K.LOAD),  # LDAPR
    (0xFFFFFC00, 0xF83FD000, K.LOAD),  # LD64B
    (0xFFFFFC00, 0xF83F9000, K.STORE),  # ST64B
    (0x3F200C00, 0x38200000, K.EXCLUSIVE),  # SWP, LDADD and their like
    (0xFFE00C00, 0xD9600000, K.LOAD),  # LDG
    (0xFFE00C00, 0xD9E00000, K.LOAD),  # LDGM
    (0xFF200000, 0xD9200000, K.STORE),  # STG, STZG, ST2G, STZ2G, STGM, STZGM
    (0x3FE00C00, 0x19000000, K.STORE),  # STLUR
    (0x3F200C00, 0x19000000, K.LOAD),  # LDAPUR
    (0xFB200C00, 0x19000400, K.STORE),  # CPY, SET: memory to memory
    (0xFF000000, 0xD8000000, K.PLAIN),  # PRFM of a literal
    (0x3B000000, 0x18000000, K.LOAD),  # LDR of a literal
    (0x3A400000, 0x28400000, K.LOAD),  # LDP, LDNP, LDPSW
    (0x3A400000, 0x28000000, K.STORE),  # STP, STNP, STGP
    (0xBE400000, 0x0C400000, K.LOAD),  # LD1 to LD4
    (0xBE400000, 0x0C000000, K.STORE),  # ST1 to ST4
    (0xFFC00000, 0xF9800000, K.PLAIN),  # PRFM
    (0xFFE00C00, 0xF8800000, K.PLAIN),  # PRFUM
    (0xFFE00C00, 0xF8A00800, K.PLAIN),  # PRFM by register, RPRFM
    (0xFF200400, 0xF8200400, K.LOAD),  # LDRAA, LDRAB
    (0x3EC00000, 0x38000000, K.STORE),  # STR
    (0x3E000000, 0x38000000, K.LOAD),  # LDR, LDRS
    (0x3E400000, 0x3C000000, K.STORE),  # STR of a vector register
    (0x3E400000, 0x3C400000, K.LOAD),  # LDR of a vector register
    (0x9E000000, 0x84000000, K.MEMORY),  # SVE
    (0xFE000000, 0xE0000000, K.MEMORY),  # SME
    (0x0A000000, 0x08000000, K.MEMORY),  # what else the table of loads and stores may hold
)
OF_USE = {
    Use.SETS: K.SETS,
    Use.LINES: K.LINES,
    Use.CODE_CACHE: K.CODE_CACHE,
    Use.TLB: K.TLB,
    Use.EXCLUSIVE: K.EXCLUSIVE,
    Use.WAIT: K.WAIT,
    Use.REGISTER: K.WRITE,
}
BARRIERS = {"dmb": K.DMB, "dsb": K.DSB, "isb": K.ISB}


def kind_of(arch: Arch, code: bytes) -> OpcodeKind:
    """Outside AArch64, loads, stores and register reads have no kind of their own."""
    if arch is Arch.AARCH64:
        return _kind_of_a64(int.from_bytes(code, "little"))
    operation = operation_of(arch, code)
    if operation is None:
        return K.PLAIN if flow_of(arch, code) is Flow.ON else K.CHOICE
    return BARRIERS.get(operation.name, K.BARRIER) if operation.use is Use.BARRIER else OF_USE[operation.use]


@lru_cache(maxsize=1 << 16)
def _kind_of_a64(bits: int) -> OpcodeKind:
    return next((kind for mask, value, kind in A64 if bits & mask == value), K.PLAIN)
