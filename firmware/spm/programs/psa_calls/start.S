/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program begins, and the one way in which it calls the secure side. Nothing here or in the C files has an address: who loads the
 * program writes three of these words, the stack's top, the entry's own address and where the parameters are.
 */
    .syntax unified
    .thumb

#define SYST_CSR 0xE000E010

    .section .vectors, "ax"
    .global vectors
vectors:
    .word   0                           /* the stack's top */
    .word   reset + 1                   /* an offset until the program is loaded */
    .word   0, 0, 0, 0, 0
    .word   0                           /* the parameters */

    .text
    .thumb_func
    .type   reset, %function
reset:
    adr.w   r0, 1f
    ldr     r1, 1f
    add     r0, r0, r1
    ldr     r0, [r0, #28]
    bl      calls_main
0:  wfi
    b       0b
    .align  2
1:  .word   vectors - 1b

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
