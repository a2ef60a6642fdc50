/* SPDX-License-Identifier: BSD-3-Clause */
/* For `virt` with GICv2, at EL1: masks IRQ for numbers of instructions that a test knows, once with an interrupt that waits meanwhile. */
    .text
    .global _start
    .type _start, %function
_start:
    adr x0, vectors
    msr vbar_el1, x0
    adr x0, stack
    mov sp, x0
    mov x9, #0x08000000
    mov x10, #0x08010000
    mov w0, #1
    str w0, [x9]
    str w0, [x10]
    mov w0, #0xff
    str w0, [x10, #4]
    msr daifclr, #2
    bl caller
    bl interrupted
    svc #0
    movz x0, #0x8400, lsl #16
    movk x0, #8
    hvc #0
    .size _start, . - _start

    .type caller, %function
caller:
    stp x29, x30, [sp, #-16]!
    mov x29, sp
    bl planted
    bl planted
    ldp x29, x30, [sp], #16
    ret
    .size caller, . - caller

    .type planted, %function
planted:
    msr daifset, #2
    .rept 499
    nop
    .endr
    msr daifclr, #2
    ret
    .size planted, . - planted

    .type interrupted, %function
interrupted:
    movz w1, #0x200, lsl #16
    msr daifset, #2
    str w1, [x9, #0xf00]
    .rept 100
    nop
    .endr
    msr daifclr, #2
    ret
    .size interrupted, . - interrupted

    .balign 2048
vectors:
    .skip 0x200
    .type on_svc, %function
on_svc:
    .rept 20
    nop
    .endr
    eret
    .size on_svc, . - on_svc
    .balign 128
    .type on_irq, %function
on_irq:
    ldr w2, [x10, #0xc]
    str w2, [x10, #0x10]
    .rept 10
    nop
    .endr
    eret
    .size on_irq, . - on_irq
    .balign 128
    .skip 256
stack:
    .skip 64
