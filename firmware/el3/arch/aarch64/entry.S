/* SPDX-License-Identifier: BSD-3-Clause */
/* Where EL3 begins: reset, warm boot, and the vectors of the normal world's calls. */
#include "percpu.h"

#define SCTLR_EL3_OFF 0x30c50838 /* RES1 bits and stack alignment check; MMU and caches off */
#define SMC_FRAME_BYTES 160
#define ESR_EC_SHIFT 26
#define EC_SMC64 0x17
#define EC_SMC32 0x13

/* A large ring makes it more than one instruction holds. */
.macro percpu_bytes register
    movz \register, #((PERCPU_BYTES) & 0xffff)
    .if (PERCPU_BYTES) >> 16
    movk \register, #((PERCPU_BYTES) >> 16), lsl #16
    .endif
.endm

/* x20 = core index: the platform's cores are numbered by Aff0, 16 to an Aff1. */
.macro core_index
    mrs x20, mpidr_el1
    ubfx x21, x20, #8, #8
    and x20, x20, #0xff
    add x20, x20, x21, lsl #4
.endm

/* Everything EL3 itself needs on a core, before its first C call: x20 = core index. */
.macro core_setup
    ldr x0, =SCTLR_EL3_OFF
    msr sctlr_el3, x0
    ldr x0, =vectors
    msr vbar_el3, x0
    ldr x0, =percpus
    percpu_bytes x1
    madd x0, x1, x20, x0
    msr tpidr_el3, x0
    add sp, x0, x1
    isb
.endm

/* In flash, where every core starts. Core 0 copies the image to secure RAM; the others wait until it has been set up. */
.section .boot, "ax"
.global reset
reset:
    core_index
    cbnz x20, 3f

    ldr x0, =__image_load
    ldr x1, =__image_start
    ldr x2, =__image_end
1:  ldp x3, x4, [x0], #16
    stp x3, x4, [x1], #16
    cmp x1, x2
    b.lo 1b
    ldr x1, =__bss_start
    ldr x2, =__bss_end
2:  stp xzr, xzr, [x1], #16
    cmp x1, x2
    b.lo 2b
    dsb sy          /* the copy is in memory ... */
    ic iallu
    isb             /* ... before it is fetched */
    ldr x0, =cold_boot
    br x0

3:  ldr x1, =platform_is_up
4:  wfe             /* the boot core sends the event */
    ldr w2, [x1]
    cbz w2, 4b
    cmp x20, x2     /* it holds the number of cores: one too many stays here */
    b.hs 5f
    ic iallu
    isb
    ldr x0, =cold_boot
    br x0
5:  wfi
    b 5b
    .ltorg

.section .text.entry, "ax"
cold_boot:
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
    mov x0, x19
    bl arch_warm_boot

/* Last stop of a core that goes down: MMU and instruction cache off, then asleep until there is a reason to come back.
 * x0 = address of a word that must become non-zero first, or 0: any interrupt will do. */
.global arch_sleep
arch_sleep:
    ldr x1, =SCTLR_EL3_OFF
    msr sctlr_el3, x1
    isb
    cbz x0, 2f
1:  ldr w1, [x0]
    cbnz w1, 3f
    dsb sy
    wfi
    b 1b
2:  dsb sy
    wfi
    b arch_warm_entry
3:  str wzr, [x0]
    b arch_warm_entry

/* Leaves EL3 for the first instruction of a normal world: x0 = its x0. Nothing of EL3 stays in a register. */
.global arch_eret_scrubbed
arch_eret_scrubbed:
    mrs x1, tpidr_el3
    percpu_bytes x2
    add sp, x1, x2
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov x\n, xzr
    .endr
    eret
    dsb nsh
    isb

.macro vector target
    .balign 0x80
    b \target
.endm

.section .vectors, "ax"
.balign 0x800
vectors:
    .rept 4 /* EL3 on SP_EL0: never used */
    vector unexpected
    .endr
    .rept 4 /* EL3 itself */
    vector unexpected
    .endr
    .balign 0x80 /* from AArch64 below */
    sub sp, sp, #SMC_FRAME_BYTES
    stp x0, x1, [sp]
    mrs x1, esr_el3
    lsr x1, x1, #ESR_EC_SHIFT
    cmp x1, #EC_SMC64
    b.ne unexpected
    b smc_entry
    vector unexpected
    vector unexpected
    vector unexpected
    .balign 0x80 /* from AArch32 below: no 64-bit calls there */
    sub sp, sp, #SMC_FRAME_BYTES
    stp x0, x1, [sp]
    mrs x1, esr_el3
    lsr x1, x1, #ESR_EC_SHIFT
    cmp x1, #EC_SMC32
    b.ne unexpected
    tbz w0, #30, smc_entry
    ldp x0, x1, [sp], #SMC_FRAME_BYTES
    mov w0, #-1
    eret
    dsb nsh
    isb
    vector unexpected
    vector unexpected
    vector unexpected

.section .text.entry, "ax"
/* C keeps x19 to x29; the frame keeps the rest. */
smc_entry:
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x30, [sp, #144]
    mov x0, sp
    bl smc_handle
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

unexpected:
    mrs x0, esr_el3
    mrs x1, elr_el3
    mrs x2, far_el3
    bl arch_unexpected_exception
