/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the normal world finds where EL3 enters it: all of its registers at a cold boot, at CPU_ON and at a resume, and what is left of
 * what it had set on a core that was off. One line for each: name=value. Runs at the level that it is started at, on two cores or one.
 */
#include "../../platform/qemu_virt/memory_map.h"
#include "../runtime/say.inc"

#define PSCI_CPU_OFF 0x84000002
#define PSCI_SYSTEM_OFF 0x84000008
#define PSCI_CPU_ON_64 0xc4000003
#define PSCI_AFFINITY_INFO_64 0xc4000004
#define PSCI_CPU_SUSPEND_64 0xc4000001
#define POWER_DOWN_CORE 0x00010002
#define TIMER_PPI 30
#define GICR_SGI_FRAME 0x10000
#define GICR_ISENABLER0 0x100
#define GICD_ENABLE_GRP1 0x12
#define PSCI_VERSION 0x84000000
#define SCTLR_EE (1 << 25)

/* x0 = 0, or what EL3 left in a register from x1 to x30. */
.macro left_over
    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    orr x1, x1, x\n
    .endr
    mov x0, x1
.endm

/* A marker in each register, so that what is not cleared shows. x0 is left. */
.macro mark
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov x\n, #0x5a5a
    .endr
.endm

/* A workaround of speculation: how long it takes, what it leaves in x0, and which bits it changes in the other registers that a call may. */
.macro workaround number, id
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
    mov x\n, #(0x100 + \n)
    .endr
    ldr w0, =\id
    mrs x26, pmccntr_el0
    smc #0
    mrs x27, pmccntr_el0
    mov x28, x0
    mov x0, xzr
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
    sub x\n, x\n, #(0x100 + \n)
    orr x0, x0, x\n
    .endr
    say changed\number
    mov x0, x28
    say called\number
    sub x0, x27, x26
    say cycles\number
.endm

/* Whether the instruction can be run here. */
.macro try name, instruction:vararg
    mov x26, #0
    \instruction
    mov x0, x26
    say \name
.endm

.section .text, "ax"
.global _start
_start:
    left_over
    mov x28, x0
    mrs x27, cntpct_el0
    bl setup
    mov x0, x28
    say cold
    mov x0, x27
    say boot_ticks
    mrs x0, cntfrq_el0
    say hz
    mrs x0, CurrentEL
    lsr x0, x0, #2
    say el
    bl features

    /* The other core twice: it dirties what it has in its first life. */
    mov x27, #2
1:  ldr w0, =PSCI_CPU_ON_64
    mov x1, #1
    adr x2, second
    mov x3, #0
    smc #0
    cbnz x0, suspend
2:  ldr w0, =PSCI_AFFINITY_INFO_64
    mov x1, #1
    mov x2, #0
    smc #0
    cmp x0, #1
    b.ne 2b
    subs x27, x27, #1
    b.ne 1b

    /* Once more, by a caller whose data is big-endian: it makes no access of its own meanwhile. */
    mrs x26, CurrentEL
    ldr w0, =PSCI_CPU_ON_64
    mov x1, #1
    adr x2, second_big
    mov x3, #0
    ldr x25, =SCTLR_EE
    cmp x26, #(2 << 2)
    b.eq 3f
    mrs x24, sctlr_el1
    orr x25, x24, x25
    msr sctlr_el1, x25
    isb
    smc #0
    msr sctlr_el1, x24
    b 4f
3:  mrs x24, sctlr_el2
    orr x25, x24, x25
    msr sctlr_el2, x25
    isb
    smc #0
    msr sctlr_el2, x24
4:  isb
5:  ldr w0, =PSCI_AFFINITY_INFO_64
    mov x1, #1
    mov x2, #0
    smc #0
    cmp x0, #1
    b.ne 5b

suspend:
    mov x0, #1
    msr cntp_tval_el0, xzr
    msr cntp_ctl_el0, x0
    ldr x1, =(GICR_BASE + GICR_SGI_FRAME + GICR_ISENABLER0)
    mov w2, #(1 << TIMER_PPI)
    str w2, [x1]
    mov x2, #0xff
    msr s3_0_c4_c6_0, x2        /* ICC_PMR_EL1 */
    mov x2, #1
    msr s3_0_c12_c12_7, x2      /* ICC_IGRPEN1_EL1 */
    ldr x1, =GICD_BASE
    mov w2, #GICD_ENABLE_GRP1
    str w2, [x1]
    isb
    ldr w0, =PSCI_CPU_SUSPEND_64
    ldr x1, =POWER_DOWN_CORE
    adr x2, resumed
    mov x3, #0
    mark
    smc #0
    say suspend_failed
    b off
resumed:
    left_over
    mov x28, x0
    adr x1, vectors
    mrs x2, CurrentEL
    cmp x2, #(2 << 2)
    b.eq 1f
    mrs x27, vbar_el1
    b 2f
1:  mrs x27, vbar_el2
2:  eor x27, x27, x1
    bl setup
    mov x0, x28
    say resume
    mov x0, x27
    say vectors
    bl features
off:
    ldr w0, =PSCI_SYSTEM_OFF
    smc #0

second:
    left_over
    mov x28, x0
    bl setup
    mov x0, x28
    say on
    mrs x0, cntp_ctl_el0
    say cntp
    mrs x0, cntv_ctl_el0
    say cntv
    mrs x0, s3_0_c12_c12_6          /* ICC_IGRPEN0_EL1 */
    say group0
    mrs x0, s3_0_c12_c12_7          /* ICC_IGRPEN1_EL1 */
    say group1
    mov x0, #1
    msr s3_0_c12_c12_7, x0
    mrs x0, CurrentEL
    cmp x0, #(2 << 2)
    b.ne 1f
    mrs x0, hcr_el2
    say hcr
    mrs x0, cntvoff_el2
    say cntvoff
    mrs x0, cnthp_ctl_el2
    say cnthp
    mrs x0, cnthctl_el2
    say cnthctl
    mrs x0, vmpidr_el2
    mrs x1, mpidr_el1
    eor x0, x0, x1
    say vmpidr
    mrs x0, sctlr_el2
    say sctlr
    mov x0, #-1
    msr cntvoff_el2, x0
    msr vmpidr_el2, xzr
    mov x0, #1
    msr cnthp_ctl_el2, x0
    msr cnthctl_el2, xzr
    ldr x0, =(1 << 31 | 1 << 3)
    msr hcr_el2, x0
    b 2f
1:  mrs x0, sctlr_el1
    say sctlr
2:  mov x0, #1
    msr cntp_ctl_el0, x0
    msr cntv_ctl_el0, x0
    mov x0, #0x1000                 /* instruction cache on: not as after a reset */
    mrs x1, sctlr_el1
    orr x1, x1, x0
    msr sctlr_el1, x1
    isb
    ldr w0, =PSCI_CPU_OFF
    mark
    smc #0
3:  b 3b

/* Started by a big-endian caller: makes itself little-endian before its first access to memory. */
second_big:
    mrs x0, CurrentEL
    cmp x0, #(2 << 2)
    b.eq 1f
    mrs x28, sctlr_el1
    bic x0, x28, #(3 << 24)
    msr sctlr_el1, x0
    b 2f
1:  mrs x28, sctlr_el2
    bic x0, x28, #SCTLR_EE
    msr sctlr_el2, x0
2:  isb
    mov x0, x28
    say sctlr_big
    ldr w0, =PSCI_CPU_OFF
    smc #0
3:  b 3b

/* Vectors that step over what is undefined and say so in x26, and everything on that EL1 can turn on for itself. */
setup:
    mov x0, #(3 << 20 | 3 << 16 | 3 << 24)
    adr x1, vectors
    mrs x2, CurrentEL
    cmp x2, #(2 << 2)
    b.eq 1f
    msr cpacr_el1, x0
    msr vbar_el1, x1
    isb
    ret
1:  msr cptr_el2, xzr
    msr vbar_el2, x1
    isb
    ret

features:
    mov x29, x30
    try sve, .inst 0x04bf5020           /* rdvl x0, #1 */
    try mte, mrs x0, s3_0_c5_c6_0       /* TFSR_EL1 */
    try pauth, mrs x0, s3_0_c2_c1_0     /* APIAKeyLo_EL1 */
    try tpidr2, mrs x0, s3_3_c13_c0_5
    try scxtnum, mrs x0, s3_3_c13_c0_7
    try pmu, mrs x0, pmccntr_el0
    mrs x0, pmcr_el0
    orr x25, x0, #1                 /* counting */
    msr pmcr_el0, x25
    mov x0, #(1 << 31)
    msr pmcntenset_el0, x0
    msr pmccfiltr_el0, xzr
    isb
    mrs x26, pmccntr_el0
    ldr w0, =PSCI_VERSION
    smc #0
    mrs x27, pmccntr_el0
    sub x0, x27, x26
    say cycles
    mrs x0, pmcr_el0
    eor x0, x0, x25
    say pmcr
    ldr w0, =0x80000001             /* SMCCC_ARCH_FEATURES */
    ldr w1, =0x80008000
    smc #0
    say workaround1
    ldr w0, =0x80000001
    ldr w1, =0x80007fff
    smc #0
    say workaround2
    ldr w0, =0x80000001
    ldr w1, =0x80003fff
    smc #0
    say workaround3
    workaround 1, 0x80008000
    workaround 3, 0x80003fff
    mrs x0, CurrentEL
    cmp x0, #(2 << 2)
    b.ne 1f
    hvc #0
    nop                             /* the handler steps over it */
    mov x0, x24
    say hvc
    try fgt, mrs x0, s3_4_c1_c1_4       /* HFGRTR_EL2 */
    try ecv, mrs x0, s3_4_c14_c0_6      /* CNTPOFF_EL2 */
    try hcx, mrs x0, s3_4_c1_c2_2       /* HCRX_EL2 */
1:  ret x29

print_here

    .balign 0x800
vectors:
    .rept 16
    .balign 0x80
    b undefined
    .endr
undefined:
    mrs x25, CurrentEL
    cmp x25, #(2 << 2)
    b.eq 1f
    mrs x24, esr_el1
    mrs x26, elr_el1
    add x26, x26, #4
    msr elr_el1, x26
    b 2f
1:  mrs x24, esr_el2
    mrs x26, elr_el2
    add x26, x26, #4
    msr elr_el2, x26
2:  lsr x24, x24, #26               /* the class */
    mov x26, #1
    eret
