/* SPDX-License-Identifier: BSD-3-Clause */
/* Where EL3 begins: cold boot, once the platform has brought its image to memory, warm boot, and the vectors of the normal world's calls. */
#include "entry.inc"
#include "percpu.h"

#define SCTLR_EL3_OFF 0x30c50838 /* RES1 bits and stack alignment check; MMU and caches off */
#define SMC_FRAME_BYTES 176
#define FRAME_PMCR 160
#define ESR_EC_SHIFT 26
#define SEMIHOSTING_EXIT 0x20
#define EC_SMC64 0x17
#define EC_SMC32 0x13
#define SCTLR_M (1 << 0)
#define WORKAROUND_1 0x80008000 /* SMCCC_ARCH_* */
#define WORKAROUND_3 0x80003fff
#define OWNER_STANDARD_BIT 26 /* of a function's number; what the convention itself asks for has it clear */
#define PMCR_DP (1 << 5) /* no cycles are counted where events may not be */

/* Everything EL3 itself needs on a core, before its first C call: x20 = core index. */
.macro core_setup
    ldr x0, =SCTLR_EL3_OFF
    msr sctlr_el3, x0
    ldr x0, =vectors
    msr vbar_el3, x0
    ldr x0, =percpus
    mov x1, #PERCPU_BYTES
    madd x0, x1, x20, x0
    msr tpidr_el3, x0
    add sp, x0, x1
    isb
.endm

.section .text.entry, "ax"
/* meet.h; changes what a call of C may. */
.macro meet
#if LATLAB_DELAYS
    bl arch_meet
#endif
.endm

/* From the platform's reset code on every core, MMU off: x20 = core index, core 0 first, alone until it says that the others may come. */
.global arch_cold_boot
arch_cold_boot:
    core_setup
    cbnz x20, 1f
    bl platform_early
    bl arch_mmu_build
1:  bl arch_mmu_enable
    mov x0, x20
    cbnz x20, 2f
    bl platform_boot_core
2:  bl platform_secondary_core

/* A core comes out of power-down here, as out of reset. The time is taken first. */
.global arch_warm_entry
arch_warm_entry:
    mrs x19, cntpct_el0
    core_index
    core_setup
    bl arch_mmu_enable
    meet
    mov x0, x19
    bl arch_warm_boot

/* Last stop of a core that goes down: MMU and instruction cache off, then asleep until there is a reason to come back. */
.global arch_sleep
arch_sleep:
    ldr x1, =SCTLR_EL3_OFF
    msr sctlr_el3, x1
    isb
    meet
    dsb sy
    wfi
    b arch_warm_entry

/* Leaves EL3 for the first instruction of a normal world: x0 = its x0. Nothing of EL3 stays in a register. */
.global arch_eret_scrubbed
arch_eret_scrubbed:
    mrs x1, tpidr_el3
    mov x2, #PERCPU_BYTES
    add sp, x1, x2
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov x\n, xzr
    .endr
    eret
    dsb nsh
    isb

#if LATLAB_HARDENED
/* What the normal world has taught the branch predictor is forgotten, and it counts none of EL3's cycles. x0 and x1 are saved. */
.macro harden
    mrs x0, tpidr_el3
    ldr w0, [x0, #PERCPU_ON_ENTRY]
    tbz w0, #ENTRY_FLUSHES_PREDICTOR, .Lkept\@
    mrs x1, sctlr_el3
    bic x1, x1, #SCTLR_M
    msr sctlr_el3, x1
    isb
    orr x1, x1, #SCTLR_M
    msr sctlr_el3, x1
    isb
.Lkept\@:
    tbz w0, #ENTRY_STOPS_CYCLES, .Lcounting\@
    mrs x1, pmcr_el0
    str x1, [sp, #FRAME_PMCR]
    orr x1, x1, #PMCR_DP
    msr pmcr_el0, x1
    isb
.Lcounting\@:
    ldr x0, [sp]
.endm
/* x0 and x1 are about to be restored. */
.macro unharden
    mrs x0, tpidr_el3
    ldr w0, [x0, #PERCPU_ON_ENTRY]
    tbz w0, #ENTRY_STOPS_CYCLES, .Lnothing\@
    ldr x1, [sp, #FRAME_PMCR]
    msr pmcr_el0, x1
.Lnothing\@:
.endm
#else
.macro harden
.endm
.macro unharden
.endm
#endif

.macro vector target
    .balign 0x80
    b \target
.endm

.section .vectors, "ax"
.balign 0x800
.global vectors
vectors:
    .rept 4 /* EL3 on SP_EL0: never used */
    vector unexpected
    .endr
    .rept 4 /* EL3 itself */
    vector unexpected
    .endr
    .balign 0x80 /* from below; with an EL2, which is AArch64, from an AArch32 EL1 too */
    stp x0, x1, [sp, #-SMC_FRAME_BYTES]!
    harden
    mrs x1, esr_el3
    lsr x1, x1, #ESR_EC_SHIFT
    cmp x1, #EC_SMC64
    b.ne not_smc64
    tbnz w0, #OWNER_STANDARD_BIT, smc_entry
    eor w1, w0, #WORKAROUND_1
    cbz w1, workaround_1
    eor w1, w0, #WORKAROUND_3
    cbz w1, workaround_3
    b smc_entry
    vector unexpected
    vector unexpected
    vector unexpected
    .rept 4 /* the level below EL3 is never AArch32 */
    vector unexpected
    .endr

.section .text.entry, "ax"
/* C keeps x19 to x29; the frame keeps the rest. */
.macro save_frame
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x30, [sp, #144]
.endm

smc_entry:
    save_frame
    meet
    mov x0, sp
    bl smc_handle
    meet
leave:
    unharden
    ldp x0, x1, [sp]
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x9, [sp, #64]
    ldp x10, x11, [sp, #80]
    ldp x12, x13, [sp, #96]
    ldp x14, x15, [sp, #112]
    ldp x16, x17, [sp, #128]
    ldp x18, x30, [sp, #144]
    add sp, sp, #SMC_FRAME_BYTES
    eret
    dsb nsh         /* nothing is speculated past the return */
    isb

/* Back from where x0 and x1 alone were saved. */
.macro leave_early
    unharden
    ldp x0, x1, [sp], #SMC_FRAME_BYTES
    eret
    dsb nsh
    isb
.endm

/* Kernels make these at switches between processes: they go no further than here, leave no event, and change no register. */
.macro workaround safe_bit
    mrs x1, tpidr_el3
    ldr w1, [x1, #PERCPU_ON_ENTRY]
    tbnz w1, #ENTRY_FLUSHES_PREDICTOR, forget_branches
    tbz w1, #\safe_bit, smc_entry
    leave_early
.endm

workaround_1:
    workaround ENTRY_IS_SAFE_1
workaround_3:
    workaround ENTRY_IS_SAFE_3
/* With its MMU off and on again a Cortex-A57 or A72 has forgotten; no data is touched meanwhile, it would not be coherent. */
forget_branches:
    mrs x0, sctlr_el3
    bic x1, x0, #SCTLR_M
    msr sctlr_el3, x1
    isb
    msr sctlr_el3, x0
    isb
    leave_early

/* An SMC of AArch32, which has no 64-bit calls; or something that was trapped to EL3 and is undefined to whoever tried it. */
not_smc64:
    cmp x1, #EC_SMC32
    b.ne 1f
    tbz w0, #30, smc_entry
    mov x0, #-1
    str x0, [sp]
    leave_early
1:  save_frame
    bl arch_refuse
    b leave

/* Asks the emulator to end with this status. One that does not listen has an undefined instruction for it, and comes to `unexpected`. */
.global arch_exit
arch_exit:
    ldr x2, =0x20026 /* the application exits */
    stp x2, x0, [sp, #-16]!
    mov x1, sp
    mov w0, #SEMIHOSTING_EXIT
    hlt #0xf000
    add sp, sp, #16
    ret

unexpected:
    mrs x0, esr_el3
    mrs x1, elr_el3
    mrs x2, far_el3
    bl arch_unexpected_exception
