/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First-level handlers with their partition's rights (levels 2 and 3). The interrupt handler steps aside by a UsageFault
 * of its own making: returning from that goes to unprivileged thread mode while the interrupt stays active, and with it
 * its priority. The handler comes back the same way. An SVC would not do: the interrupt may have come while one was
 * active, and none can be taken from its priority.
 */
#include "offsets.h"

    .syntax unified
    .thumb
    .section .text.flih, "ax"

/* r0: handler, r1: stack top, r2: stack limit of the partition's first-level stack. Returns the handler's answer. */
    .global flih_call
    .type flih_call, %function
    .thumb_func
flih_call:
    udf     #0
    bx      lr

    .global UsageFault_Handler
    .type UsageFault_Handler, %function
    .thumb_func
UsageFault_Handler:
    tst     lr, #8
    bne     from_thread
    ldr     r2, [sp, #FRAME_PC]
    ldr     r3, =flih_call
    bic     r3, #1
    cmp     r2, r3
    bne     fault_handler

    ldmia   sp, {r0-r2}
    mrs     r3, psp
    mrs     r12, psplim
    push    {r3-r12, lr}
    mrs     r3, control
    push    {r3}
    ldr     r12, =flih_active
    movs    r3, #1
    str     r3, [r12]
    movs    r3, #0
    sub     r1, #FRAME_BYTES
    str     r3, [r1]
    str     r3, [r1, #4]
    str     r3, [r1, #8]
    str     r3, [r1, #12]
    str     r3, [r1, #FRAME_R12]
    ldr     r3, =flih_return
    str     r3, [r1, #FRAME_LR]
    bic     r0, #1
    str     r0, [r1, #FRAME_PC]
    mov     r3, #0x01000000
    str     r3, [r1, #FRAME_XPSR]
    msr     psplim, r2
    msr     psp, r1
    movs    r3, #3
    msr     control, r3
    movs    r4, #0                      /* nothing of the interrupted world goes along */
    mov     r5, r4
    mov     r6, r4
    mov     r7, r4
    mov     r8, r4
    mov     r9, r4
    mov     r10, r4
    mov     r11, r4
    mvn     lr, #2                      /* secure thread, PSP, no further state */
    b       acknowledge

from_thread:
    ldr     r1, =flih_active
    ldr     r2, [r1]
    cmp     r2, #0
    beq     fault_handler
    mrs     r12, psp
    ldr     r2, [r12, #FRAME_PC]
    ldr     r3, =flih_return
    bic     r3, #1
    cmp     r2, r3
    bne     fault_handler

    movs    r3, #0
    str     r3, [r1]
    ldr     r0, [r12]
    pop     {r3}
    msr     control, r3
    pop     {r3-r12, lr}
    msr     psplim, r12
    msr     psp, r3
    str     r0, [sp]
    ldr     r2, [sp, #FRAME_PC]
    adds    r2, #2
    str     r2, [sp, #FRAME_PC]

acknowledge:
    ldr     r2, =0xE000ED28             /* CFSR: the fault has been dealt with */
    mov     r3, #0x00010000
    str     r3, [r2]
    bx      lr
    .ltorg

    .bss
    .balign 4
    .global flih_active
flih_active:
    .space 4
