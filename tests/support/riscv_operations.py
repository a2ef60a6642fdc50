# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of RISC-V, and in which world which of them is trapped with what cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.riscv_masks import HS, VS, VU, M, S, U

GUESTS = (VU, VS)
ILLEGAL, BREAKPOINT, LOAD, STORE, VIRTUAL = 2, 3, 5, 7, 22
ECALLS = {U: 8, VU: 8, S: 9, HS: 9, VS: 10, M: 11}
TW, TVM, VTW, VTVM, CYCLES = 1 << 21, 1 << 20, 1 << 21, 1 << 20, 1
EVERYWHERE = {ILLEGAL: "csrrw zero, cycle, zero", BREAKPOINT: "ebreak", LOAD: "lw a5, (zero)", STORE: "sw a1, (zero)"}


@dataclass(frozen=True)
class Traps:
    """What is trapped, and who takes it. `supervisor_in_vu` is the cause of a supervisor's register in VU."""

    medeleg: int = 0
    hedeleg: int = 0
    mstatus: int = 0
    hstatus: int = 0
    counters: tuple[bool, bool, bool] = (True, True, True)  # of M, of the hypervisor, of S
    supervisor_in_vu: int = ILLEGAL

    def taken_by(self, world: int, cause: int, supervisor: int) -> int:
        if world == M or not self.medeleg >> cause & 1:
            return M
        return VS if world in GUESTS and self.hedeleg >> cause & 1 else supervisor


Cause = Callable[[int, Traps], int]


def _of_level(*allowed: int) -> Cause:
    """Of a register or an instruction that HS may use, and of these worlds."""

    def cause(world: int, _: Traps) -> int:
        return 0 if world in (M, *allowed) else VIRTUAL if world in GUESTS and allowed else ILLEGAL

    return cause


def _supervisor(world: int, traps: Traps) -> int:
    """In VU it is illegal by QEMU 10.0.2, virtual by the architecture and by 10.0.13."""
    return traps.supervisor_in_vu if world == VU else ILLEGAL if world == U else 0


def _of_satp(world: int, traps: Traps) -> int:
    if world == VS and traps.hstatus & VTVM:
        return VIRTUAL
    return ILLEGAL if world in (S, HS) and traps.mstatus & TVM else _supervisor(world, traps)


def _of_fence(world: int, traps: Traps) -> int:
    return VIRTUAL if world == VU else _of_satp(world, traps)


def _of_guest_translation(world: int, traps: Traps) -> int:
    return ILLEGAL if world == HS and traps.mstatus & TVM else _of_level(HS)(world, traps)


def _of_cycles(world: int, traps: Traps) -> int:
    of_m, of_hypervisor, of_s = traps.counters
    if world == M:
        return 0
    if not of_m:
        return ILLEGAL
    if world in GUESTS:
        return 0 if of_hypervisor and (of_s or world == VS) else VIRTUAL
    return ILLEGAL if world == U and not of_s else 0


def _always(cause: int) -> Cause:
    return lambda world, traps: cause


def _of_ecall(world: int, _: Traps) -> int:
    return ECALLS[world]


def _never(world: int, _: Traps) -> int:
    return 0


_machine, _hypervisor = _of_level(), _of_level(HS)
PLAIN = (
    "addi a0, a0, 1", "add a1, a1, a0", "xor a2, a2, a1", "nop", "fence", "fence.i", "mul a3, a0, a1", "amoadd.w a4, a1, (gp)",
    "lw a5, (gp)", "sw a1, 8(gp)", "lw a5, 3(gp)", "lr.w a4, (gp)", "sc.w a4, a1, (gp)", "auipc a4, 0", "lbu a5, 5(s1)",
    "beq zero, zero, . + 4", "bne zero, zero, . + 8",
)  # fmt: skip
OPERATIONS: tuple[tuple[str, Cause], ...] = (
    *((each, _never) for each in PLAIN),
    *((each, _always(cause)) for cause, each in EVERYWHERE.items()),
    ("ecall", _of_ecall),
    ("csrr a5, mhartid", _machine),
    ("csrw mscratch, a1", _machine),
    ("csrr a5, sstatus", _supervisor),
    ("csrw sscratch, a1", _supervisor),
    ("csrr a5, satp", _of_satp),
    ("sfence.vma", _of_fence),
    ("csrr a5, cycle", _of_cycles),
)
OPERATIONS_OF_H: tuple[tuple[str, Cause], ...] = (
    ("csrr a5, hstatus", _hypervisor),
    ("csrr a5, htval", _hypervisor),
    ("csrw vsscratch, a1", _hypervisor),
    ("csrr a5, vsstatus", _hypervisor),
    ("csrr a5, hgatp", _of_guest_translation),
    (".insn r 0x73, 4, 0x34, a5, gp, x0", _hypervisor),  # hlv.w a5, (gp)
    (".insn r 0x73, 0, 0x11, x0, x0, x0", _hypervisor),  # hfence.vvma
    (".insn r 0x73, 0, 0x31, x0, x0, x0", _of_guest_translation),  # hfence.gvma
)
ADDI_A1 = 0x158593
