/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's vectors, but for the interrupt that a sweep lets in: it is told before anything else. */
#define PSCI_FEATURES 0x8400000a
#define MARK_CAME 0x4c4d0006

    .macro  fatal number
    .balign 128
    b   payload_vectors + 128 * \number
    .endm

    .text
    .balign 2048
    .global sweep_vectors
sweep_vectors:
    .set    n, 0
    .rept   5
    fatal  n
    .set    n, n + 1
    .endr
    .balign 128
    b   came
    .set    n, 6
    .rept   10
    fatal  n
    .set    n, n + 1
    .endr

came:
    stp x0, x1, [sp, #-192]!
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x29, [sp, #144]
    mrs x0, elr_el2
    mrs x1, spsr_el2
    stp x0, x1, [sp, #160]
    str x30, [sp, #176]
    mov x0, #(PSCI_FEATURES & 0xffff)
    movk    x0, #(PSCI_FEATURES >> 16), lsl #16
    mov x1, #(MARK_CAME & 0xffff)
    movk    x1, #(MARK_CAME >> 16), lsl #16
    mov x2, #((mark - came) / 4 + 2) /* from the vector's first instruction to the call, both counted */
    mov x3, #0
mark:   smc #0
    bl  interrupt_came
    ldr x30, [sp, #176]
    ldp x0, x1, [sp, #160]
    msr elr_el2, x0
    msr spsr_el2, x1
    ldp x18, x29, [sp, #144]
    ldp x16, x17, [sp, #128]
    ldp x14, x15, [sp, #112]
    ldp x12, x13, [sp, #96]
    ldp x10, x11, [sp, #80]
    ldp x8, x9, [sp, #64]
    ldp x6, x7, [sp, #48]
    ldp x4, x5, [sp, #32]
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp], #192
    eret
