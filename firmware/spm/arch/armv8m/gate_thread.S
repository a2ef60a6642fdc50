/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate of privileged callers: into the SPM in thread mode, on the SPM's own stack, with the scheduler locked and
 * every interrupt enabled. In: r0 to r3 the arguments, r12 the SPM function. Out: r0.
 *
 * The stack limit is lifted while the stack pointer moves, so an interrupt at any instruction finds a stack that its
 * frame fits on.
 */
#include "offsets.h"

    .syntax unified
    .thumb
    .section .text.gate_thread, "ax"

    .global gate_thread
    .type gate_thread, %function
    .thumb_func
gate_thread:
    push    {r4-r6, lr}
    mrs     r4, ipsr
    cbnz    r4, handler_mode
    ldr     r4, =spm_kernel
    movs    r5, #1
    str     r5, [r4, #KERNEL_ACTIVE]
    ldr     lr, [r4, #KERNEL_STACK_TOP]
    mrs     r6, psplim
    movs    r5, #0
    msr     psplim, r5
    mov     r5, sp
    mov     sp, lr
    ldr     lr, [r4, #KERNEL_STACK_LIMIT]
    msr     psplim, lr
    blx     r12
    movs    r1, #0
    msr     psplim, r1
    mov     sp, r5
    msr     psplim, r6
    str     r1, [r4, #KERNEL_ACTIVE]
    ldr     r1, [r4, #KERNEL_SWITCH_WANTED]
    cbnz    r1, switch
    pop     {r4-r6, pc}

/*
 * PendSV comes at the barrier; where the caller was blocked it also puts the result in r0. A non-secure interrupt that
 * is due at the same instruction comes first, and if its handler switches threads, PendSV finds the non-secure side
 * and only records: so look again. With PRIS a mask of the non-secure side holds PendSV off too, for as long as it is set.
 * It is the caller's and stays: the switch is made by SysTick then, which lies above all that such a mask holds back.
 */
switch:
    ldr     r1, =0xE000ED04
    mov     r2, #ICSR_PENDSVSET
1:  str     r2, [r1]
    dsb
    isb
    ldr     r3, [r4, #KERNEL_SWITCH_WANTED]
    cbnz    r3, again
    pop     {r4-r6, pc}

again:
    mov     r2, #ICSR_PENDSVSET
    mrs     r3, primask_ns
    mrs     r5, basepri_ns
    orrs    r3, r5
    mrs     r5, faultmask_ns
    orrs    r3, r5
    it      ne
    movne   r2, #(ICSR_PENDSTSET | ICSR_PENDSVCLR)
    b       1b

handler_mode:
    b       spm_handler_mode_panic
    .ltorg
