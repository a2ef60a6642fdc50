/* SPDX-License-Identifier: BSD-3-Clause */
/* For `virt` with 128 MiB, at EL1: masks IRQ with the last instruction of the memory, so that an abort comes right behind it. */
    .text
    .global _start
    .type _start, %function
_start:
    adr x0, vectors
    msr vbar_el1, x0
    adr x0, stack
    mov sp, x0
    msr daifclr, #2
    bl caller
    movz x0, #0x8400, lsl #16
    movk x0, #8
    hvc #0
    .size _start, . - _start

    .type caller, %function
caller:
    stp x29, x30, [sp, #-16]!
    mov x29, sp
    ldr x0, =masks_at_the_end
    blr x0
    msr daifclr, #2
    ldp x29, x30, [sp], #16
    ret
    .size caller, . - caller
    .ltorg

    .balign 2048
vectors:
    .skip 0x200
    .type on_abort, %function
on_abort:
    msr elr_el1, x30
    .rept 8
    nop
    .endr
    eret
    .size on_abort, . - on_abort
    .balign 128
    .skip 256
stack:
    .skip 64

    .section .end, "ax"
    .type masks_at_the_end, %function
masks_at_the_end:
    msr daifset, #2
    .size masks_at_the_end, . - masks_at_the_end
