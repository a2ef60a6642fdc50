/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way in which the program calls the secure side, and addresses that it finds by where it runs. */
    .syntax unified
    .thumb

#define SYST_CSR 0xE000E010

    .text
    .macro  address_of name
    .global address_of_\name
    .thumb_func
    .type   address_of_\name, %function
address_of_\name:
    ldr     r0, 3f
2:  add     r0, pc
    orr     r0, r0, #1                  /* a difference of labels may have it or not */
    bx      lr
    .align  2
3:  .word   \name - (2b + 4)
    .endm

    address_of on_fault
    address_of on_systick
    address_of do_nothing

    .global do_nothing
    .thumb_func
    .type   do_nothing, %function
do_nothing:
    bx      lr

/*
 * r0: struct armed. From the mark's return to the instruction that starts the timer, and from there to the call, it is the same instructions
 * for every call: the distance between mark and interrupt is one constant.
 */
    .global armed_call
    .thumb_func
    .type   armed_call, %function
armed_call:
    push    {r4-r7, lr}
    sub     sp, #4
    mov     r4, r0
    ldm     r4!, {r0-r3, r7}
    blx     r7
    ldr     r5, =SYST_CSR
    ldm     r4!, {r0-r3, r6, r7}
    str     r6, [r5]
    blx     r7
    add     sp, #4
    pop     {r4-r7, pc}
    .ltorg
