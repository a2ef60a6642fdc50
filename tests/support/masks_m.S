/* SPDX-License-Identifier: BSD-3-Clause */
/* For mps2-an385: a kernel's critical section of 500 instructions, whose masks are changed by small functions of their own. What waits
 * meanwhile comes in right behind the instruction that opens them. */
    .syntax unified
    .text
    .word stack
    .word start
    .rept 12
    .word unexpected
    .endr
    .word on_pendsv

    .thumb_func
    .type start, %function
start:
    ldr r5, =0xe000ed04
    ldr r0, =0x00ff0000
    str r0, [r5, #0x1c]
    bl task
    ldr r1, =ended
    movs r0, #0x20
    bkpt 0xab
    b .
    .size start, . - start
    .ltorg
ended:
    .word 0x20026, 0

    .thumb_func
    .type unexpected, %function
unexpected:
    b .

    .thumb_func
    .type task, %function
task:
    push {r4, lr}
    movs r4, #2
1:  bl section
    subs r4, #1
    bne 1b
    pop {r4, pc}
    .size task, . - task

    .thumb_func
    .type section, %function
section:
    push {r3, lr}
    movs r0, #0x40
    mov.w r1, #0x10000000
    bl mask
    str r1, [r5]
    .rept 495
    nop
    .endr
    bl unmask
    pop {r3, pc}
    .size section, . - section

    .thumb_func
    .type mask, %function
mask:
    msr basepri, r0
    bx lr
    .size mask, . - mask

    .thumb_func
    .type unmask, %function
unmask:
    movs r0, #0
    msr basepri, r0
    bx lr
    .size unmask, . - unmask

    .thumb_func
    .type on_pendsv, %function
on_pendsv:
    cpsid i
    .rept 19
    nop
    .endr
    cpsie i
    bx lr
    .size on_pendsv, . - on_pendsv

    .bss
    .balign 8
    .space 256
stack:
