# SPDX-License-Identifier: BSD-3-Clause
"""Names of the system registers that firmware writes, by their numbers in the instruction."""

from __future__ import annotations

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
