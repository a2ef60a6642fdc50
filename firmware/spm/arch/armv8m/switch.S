/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context switch. PendSV has the lowest priority, so every other interrupt may come in the middle of it: it
 * changes only what no interrupt handler touches, and a handler that wants another switch pends PendSV again.
 */
#include "offsets.h"

    .syntax unified
    .thumb
    .section .text.switch, "ax"

    .global PendSV_Handler
    .type PendSV_Handler, %function
    .thumb_func
PendSV_Handler:
    ldr     r0, =spm_kernel
    ldr     r1, [r0, #KERNEL_ACTIVE]
    cbnz    r1, record                  /* the SPM runs: it will ask on its way out */
    tst     lr, #EXC_RETURN_SECURE
    beq     record                      /* the non-secure side was interrupted: not before its next call */
    ldr     r3, [r0, #KERNEL_CURRENT]
    str     r1, [r0, #KERNEL_SWITCH_WANTED]
    mrs     r12, psp
    stmia   r3!, {r4-r11}
    stmia   r3, {r12, lr}

/* r0: the kernel. Everything of the thread that ran is kept. */
    .global switch_to_most_urgent
    .thumb_func
switch_to_most_urgent:
    ldr     r2, [r0, #KERNEL_READY]
    clz     r2, r2
    add     r2, r0, r2, lsl #2
    ldr     r2, [r2, #KERNEL_BY_RANK]

/* r0: the kernel, r2: the partition to run. */
    .global resume_partition
    .thumb_func
resume_partition:
    str     r2, [r0, #KERNEL_CURRENT]
#if SPM_LEVEL > 1
    ldr     r3, [r2, #PARTITION_REGIONS]
    ldr     r1, =mpu_loaded
    cbz     r3, 1f                      /* privileged: what is loaded does no harm */
    ldr     r12, [r1]
    cmp     r12, r3
    beq     1f
    str     r3, [r1]
    ldmia   r3, {r4-r11}
    ldr     r1, =0xE000ED9C             /* MPU_RBAR and its aliases; MPU_RNR stays at the first of the four */
    stmia   r1, {r4-r11}
    dsb
    isb
1:
#endif
    ldmia   r2, {r4-r11}
    add     r3, r2, #PARTITION_PSP
    ldmia   r3, {r1, r3, r12}           /* PSP, EXC_RETURN, PSPLIM */
    mov     lr, r3
    msr     psplim, r12
    msr     psp, r1
#if SPM_LEVEL > 1
    ldr     r3, [r2, #PARTITION_PSP + 12]
    msr     control, r3
#endif
    ldr     r3, [r2, #PARTITION_DEFERRED]
    cbz     r3, 2f
    movs    r3, #0
    str     r3, [r2, #PARTITION_DEFERRED]
    ldr     r3, [r2, #PARTITION_RESULT]
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r1, #EXTRA_STATE_BYTES
    str     r3, [r1, #FRAME_R0]
2:  bx      lr

record:
    movs    r1, #1
    str     r1, [r0, #KERNEL_SWITCH_WANTED]
    bx      lr
    .ltorg
