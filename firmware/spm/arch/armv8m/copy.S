/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies r2 bytes from r1 to r0; every byte is read once. Words where both sides allow it. */
    .syntax unified
    .thumb
    .section .text.armv8m_copy, "ax"

    .global armv8m_copy
    .type armv8m_copy, %function
    .thumb_func
armv8m_copy:
    orr     r3, r0, r1
    tst     r3, #3
    bne     unaligned
    subs    r2, #32
    blo     2f
    push    {r4-r9}
1:  ldmia   r1!, {r3-r9, r12}
    stmia   r0!, {r3-r9, r12}
    subs    r2, #32
    bhs     1b
    pop     {r4-r9}
2:  adds    r2, #32
    beq     5f
3:  subs    r2, #4
    blo     4f
    ldr     r3, [r1], #4
    str     r3, [r0], #4
    bne     3b
    bx      lr
4:  adds    r2, #4
bytes:
    ldrb    r3, [r1], #1
    strb    r3, [r0], #1
    subs    r2, #1
    bne     bytes
5:  bx      lr

/* The processor reads unaligned words itself; only the tail goes by bytes. */
unaligned:
    subs    r2, #16
    blo     7f
6:  ldr     r3, [r1], #4
    ldr     r12, [r1], #4
    str     r3, [r0], #4
    str     r12, [r0], #4
    ldr     r3, [r1], #4
    ldr     r12, [r1], #4
    str     r3, [r0], #4
    str     r12, [r0], #4
    subs    r2, #16
    bhs     6b
7:  adds    r2, #16
    bne     bytes
    bx      lr
