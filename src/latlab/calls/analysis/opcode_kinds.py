# SPDX-License-Identifier: BSD-3-Clause
"""What kind of cost an instruction has, by its opcode.

The rows of A64 are the encodings of the Arm Architecture Reference Manual for A-profile (DDI 0487), chapter C4.1, "A64 instruction set
encoding": tables "Branches, Exception Generating and System instructions" and "Loads and Stores", and of "Atomic memory operations" those
of C4.1.94 whose `o3` and `opc` name loads and stores of one value.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache

from latlab.calls.analysis.flow import Flow, flow_of
from latlab.calls.analysis.operations import Use, operation_of
from latlab.calls.model.crossings import Arch


class OpcodeKind(Enum):
    """MEMORY reads or writes, and is not told which. CHOICE branches or goes on; BRANCH and RAISE go elsewhere always."""

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
    """Outside AArch64 loads and stores are not told from others, nor reads of registers."""
    if arch is Arch.AARCH64:
        return _a64(int.from_bytes(code, "little"))
    operation = operation_of(arch, code)
    if operation is None:
        return K.PLAIN if flow_of(arch, code) is Flow.ON else K.CHOICE
    return BARRIERS.get(operation.name, K.BARRIER) if operation.use is Use.BARRIER else OF_USE[operation.use]


@lru_cache(maxsize=1 << 16)
def _a64(bits: int) -> OpcodeKind:
    return next((kind for mask, value, kind in A64 if bits & mask == value), K.PLAIN)
