/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a program begins that runs anywhere. Nothing here or in its other files has an address: who loads the program writes three of
 * these words, the stack's top, the entry's own address and where the parameters are.
 */
    .syntax unified
    .thumb

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
