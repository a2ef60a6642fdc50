/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LATLAB_HOSTILE_POWER_DOWN, for tests: what a core loses with its power holds nonsense when the normal world is entered again, so that
 * whoever forgets to restore it is caught. QEMU's cores keep everything. What the architecture resets is left to arch_enter_ns().
 */
#include "percpu.h"

#if LATLAB_HOSTILE_POWER_DOWN
#define NONSENSE 0xbad1dea5bad1dea5
#define ICC_PMR_EL1 s3_0_c4_c6_0
#define ICC_IGRPEN1_EL1 s3_0_c12_c12_7
#define ID_PFR0_EL2_SHIFT 8
#define ID_PFR0_GIC_SHIFT 24

/* Leaves EL3 for a core that comes back: x0 = its x0. SCR_EL3 is the normal world's. */
.global arch_eret_scrambled
.section .text.hostile, "ax"
arch_eret_scrambled:
    mrs x1, tpidr_el3
    mov x2, #PERCPU_BYTES
    add sp, x1, x2
    ldr x1, =NONSENSE
    .irp register, sp_el0, sp_el1, elr_el1, spsr_el1, vbar_el1, ttbr0_el1, ttbr1_el1, tcr_el1, mair_el1, amair_el1, contextidr_el1, \
        cpacr_el1, cntkctl_el1, tpidr_el0, tpidrro_el0, tpidr_el1, esr_el1, far_el1, afsr0_el1, afsr1_el1, par_el1, csselr_el1
    msr \register, x1
    .endr
    mrs x2, id_aa64pfr0_el1
    ubfx x3, x2, #ID_PFR0_EL2_SHIFT, #4
    cbz x3, 1f
    .irp register, sp_el2, elr_el2, spsr_el2, vbar_el2, ttbr0_el2, tcr_el2, mair_el2, amair_el2, tpidr_el2, esr_el2, far_el2, vtcr_el2
    msr \register, x1
    .endr
1:  ubfx x3, x2, #ID_PFR0_GIC_SHIFT, #4
    cbz x3, 2f
    msr ICC_PMR_EL1, xzr
    msr ICC_IGRPEN1_EL1, xzr
2:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    movi v\n\().16b, #0xa5
    .endr
    isb
    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov x\n, x1
    .endr
    eret
    dsb nsh
    isb
#endif
