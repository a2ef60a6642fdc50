/* SPDX-License-Identifier: BSD-3-Clause */
/* For mask_programs.py: all pieces in turn, while interrupts, PendSV and a tick of random priorities come in. */
    .syntax unified
    .text
    .word 0x20010000
    .word start
    .rept 12
    .word unexpected
    .endr
    .word handler4, handler5, handler0, handler1, handler2, handler3
    .thumb_func
unexpected:
    b .
    .thumb_func
    .type start, %function
start:
    ldr r4, =0xe000e400
    ldr r0, =priorities
    str r0, [r4]
    ldr r4, =0xe000ed20
    ldr r0, =of_kernel
    str r0, [r4]
    ldr r4, =0xe000e100
    movs r0, #15
    str r0, [r4]
    ldr r4, =0xe000e010
    ldr r0, =tick
    str r0, [r4, #4]
    movs r0, #7
    str r0, [r4]
    ldr r4, =0xe000e200
    ldr r5, =0xe000ed04
    movs r6, #3
1:  bl all_pieces
    subs r6, #1
    bne 1b
    ldr r1, =ended
    movs r0, #0x20
    bkpt 0xab
    b .
    .ltorg
ended:
    .word 0x20026, 0
