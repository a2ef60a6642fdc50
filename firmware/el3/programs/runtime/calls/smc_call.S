/* SPDX-License-Identifier: BSD-3-Clause */
#include "kept_registers.inc"

/*
 * struct smc_return smc_frame_call(struct smc_frame *frame)
 *
 * Loads x0 to x30 from the frame, calls EL3 and stores all of them back. Returns {0, 0}, or {context_id, 1} when the core
 * came back through payload_resume instead.
 */
    .text
    .global smc_frame_call
smc_frame_call:
    store_kept_registers
    str x0, [x9, #CONTEXT_FRAME]
    str x10, [x0, #FRAME_SP_IN]
    mrs x10, daif
    str x10, [x0, #FRAME_DAIF_IN]
    ldp x2, x3, [x0, #16]
    ldp x4, x5, [x0, #32]
    ldp x6, x7, [x0, #48]
    ldp x8, x9, [x0, #64]
    ldp x10, x11, [x0, #80]
    ldp x12, x13, [x0, #96]
    ldp x14, x15, [x0, #112]
    ldp x16, x17, [x0, #128]
    ldp x18, x19, [x0, #144]
    ldp x20, x21, [x0, #160]
    ldp x22, x23, [x0, #176]
    ldp x24, x25, [x0, #192]
    ldp x26, x27, [x0, #208]
    ldp x28, x29, [x0, #224]
    ldr x30, [x0, #240]
    adrp    x1, smc_from_aarch32
    ldrb    w1, [x1, :lo12:smc_from_aarch32]
    cbnz    w1, 2f
    ldr x1, [x0, #8]
    ldr x0, [x0]
    smc #0
1:  stp x0, x1, [sp, #-16]!
    mrs x0, tpidr_el0
    ldr x0, [x0, #CONTEXT_FRAME]
    stp x2, x3, [x0, #16]
    stp x4, x5, [x0, #32]
    stp x6, x7, [x0, #48]
    stp x8, x9, [x0, #64]
    stp x10, x11, [x0, #80]
    stp x12, x13, [x0, #96]
    stp x14, x15, [x0, #112]
    stp x16, x17, [x0, #128]
    stp x18, x19, [x0, #144]
    stp x20, x21, [x0, #160]
    stp x22, x23, [x0, #176]
    stp x24, x25, [x0, #192]
    stp x26, x27, [x0, #208]
    stp x28, x29, [x0, #224]
    str x30, [x0, #240]
    ldp x2, x3, [sp], #16
    stp x2, x3, [x0]
    mov x2, sp
    str x2, [x0, #FRAME_SP_OUT]
    mrs x2, daif
    str x2, [x0, #FRAME_DAIF_OUT]
    load_kept_registers
    mov x0, #0
    mov x1, #0
    ret

/* The same from an AArch32 EL1 below this EL2: its supervisor mode calls EL3 and comes back with an HVC. */
2:  mov x1, #0x1d3
    msr spsr_el2, x1
    adr x1, aarch32_caller
    msr elr_el2, x1
    msr hcr_el2, xzr        /* EL1 is AArch32, and interrupts are its own, which masks them */
    ldr x1, [x0, #8]
    ldr x0, [x0]
    eret
    .global smc_called_from_aarch32
smc_called_from_aarch32:
    msr tpidr_el2, x0
    ldr x0, =0x80000038
    msr hcr_el2, x0
    isb
    mrs x0, tpidr_el2
    b   1b
    .ltorg
aarch32_caller:
    .inst 0xe1600070        /* smc #0 */
    .inst 0xe1400070        /* hvc #0 */
