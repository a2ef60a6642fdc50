# SPDX-License-Identifier: BSD-3-Clause
"""What instructions are for, by their opcodes: caches, TLB, barriers, exclusives, waiting, and system registers by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from latlab.calls.model.crossings import Arch, Fragment

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
        return _a64(bits)
    if arch is Arch.RISCV:
        return _riscv(bits) if len(code) == 4 else None
    return _thumb(bits & 0xFFFF, bits >> 16) if len(code) == 4 else _thumb_short(bits)


def _a64(bits: int) -> SystemOperation | None:
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


def _riscv(bits: int) -> SystemOperation | None:
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


def _thumb_short(bits: int) -> SystemOperation | None:
    name = {0xBF20: "wfe", 0xBF30: "wfi"}.get(bits)
    if name:
        return SystemOperation(Use.WAIT, name)
    return SystemOperation(Use.REGISTER, "cps") if bits & 0xFFE8 == 0xB660 else None


def _thumb(first: int, second: int) -> SystemOperation | None:
    if first == 0xF3BF and second & 0xFF00 == 0x8F00:
        name = THUMB_BARRIERS.get(second >> 4 & 0xF)
        return SystemOperation(Use.EXCLUSIVE if name == "clrex" else Use.BARRIER, name) if name else None
    if first & 0xFFE0 == 0xF380 and second & 0xF000 == 0x8000:
        return SystemOperation(Use.REGISTER, f"msr {M_REGISTERS.get(second & 0xFF, f'{second & 0xFF:#x}')}")
    is_word, is_sized = first & 0xFFE0 == 0xE840, first & 0xFFE0 == 0xE8C0 and second >> 4 & 0xF in THUMB_EXCLUSIVES
    if is_word and (first & 0x10 or second & 0xF000 != 0xF000):  # TT has the place of a STREX to no register
        return SystemOperation(Use.EXCLUSIVE, "ldrex" if first & 0x10 else "strex")
    return SystemOperation(Use.EXCLUSIVE, "ldrex" if first & 0x10 else "strex") if is_sized else None
