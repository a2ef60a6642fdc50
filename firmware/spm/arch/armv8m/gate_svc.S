/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate of unprivileged partitions (levels 2 and 3). The SVC handler keeps the caller, starts the SPM in privileged
 * thread mode on its own stack and is gone; a second SVC from there ends the call. It has the lowest priority, so
 * non-secure interrupts come through it.
 *
 * A non-secure interrupt that arrives together with the SVC runs first and leaves its extra state on the stack: the
 * frame lies above that state then.
 *
 * The way back is an exception return too: a partition's own first-level handler may write to the partition's stack at
 * any time, so nothing privileged ever returns through a frame that lies there.
 */
#include "api_numbers.h"
#include "offsets.h"

    .syntax unified
    .thumb
    .section .text.gate_svc, "ax"

    .global SVC_Handler
    .type SVC_Handler, %function
    .thumb_func
SVC_Handler:
    ldr     r0, =spm_kernel
    mrs     r12, psp
    ldr     r1, [r0, #KERNEL_ACTIVE]
    cmp     r1, #0
    bne     spm_returns
    ldr     r1, [r0, #KERNEL_CURRENT]
    stmia   r1!, {r4-r11}
    stmia   r1, {r12, lr}
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r12, #EXTRA_STATE_BYTES
    movs    r1, #1
    str     r1, [r0, #KERNEL_ACTIVE]
    ldr     r8, [r12, #FRAME_R12]
    ldmia   r12, {r4-r7}
    cmp     r8, #API_COUNT
    bhs     spm_bad_number_panic
    ldr     r9, =spm_api_table
    ldr     r10, [r9, r8, lsl #2]
    ldr     r9, =spm_return
    mov     r11, #0x01000000
    ldr     r12, [r0, #KERNEL_STACK_TOP]
    sub     r12, #FRAME_BYTES
    add     r1, r12, #FRAME_LR
    stmia   r12, {r4-r7}
    stmia   r1, {r9-r11}
    ldr     r1, [r0, #KERNEL_STACK_LIMIT]
    movs    r2, #2
    msr     psplim, r1
    msr     psp, r12
    msr     control, r2
    mvn     lr, #2                      /* secure thread, PSP, no further state */
    bx      lr

/* An API function has returned; r0 of the SPM's frame is its result. */
spm_returns:
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r12, #EXTRA_STATE_BYTES
    ldr     r2, [r0, #KERNEL_CURRENT]
    ldr     r3, [r2, #PARTITION_DEFERRED]
    cbnz    r3, 1f
    ldr     r1, [r12, #FRAME_R0]
    str     r1, [r2, #PARTITION_RESULT]
    movs    r3, #1
    str     r3, [r2, #PARTITION_DEFERRED]
1:  movs    r3, #0
    str     r3, [r0, #KERNEL_ACTIVE]
    ldr     r1, [r0, #KERNEL_SWITCH_WANTED]
    cmp     r1, #0
    beq     resume_partition
    str     r3, [r0, #KERNEL_SWITCH_WANTED]
    b       switch_to_most_urgent

/* The API functions return to here, in privileged thread mode. */
    .thumb_func
spm_return:
    svc     #0
    b       spm_return

/*
 * With PRIS a mask of the non-secure side is above SVC: while one is set, a partition's call comes as a HardFault. The mask
 * is the non-secure side's and stays: the call is taken from here. A call of a first-level handler is a HardFault too, and
 * an error.
 */
    .global HardFault_Handler
    .type HardFault_Handler, %function
    .thumb_func
HardFault_Handler:
    and     r0, lr, #(EXC_RETURN_THREAD | EXC_RETURN_SECURE)
    cmp     r0, #(EXC_RETURN_THREAD | EXC_RETURN_SECURE)
    bne     fault_handler
    ldr     r0, =flih_active
    ldr     r0, [r0]
    ldr     r1, =0xE000ED28             /* CFSR, then HFSR */
    ldrd    r2, r3, [r1]
    orrs    r0, r2
    bne     fault_handler
    cmp     r3, #HFSR_FORCED
    bne     fault_handler
    mrs     r0, primask_ns
    mrs     r2, basepri_ns
    orrs    r0, r2
    mrs     r2, faultmask_ns
    orrs    r0, r2
    beq     fault_handler
    mrs     r12, psp
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r12, #EXTRA_STATE_BYTES
    ldr     r0, [r12, #FRAME_PC]
    ldrb    r0, [r0, #-1]
    cmp     r0, #SVC_OPCODE
    bne     fault_handler
    str     r3, [r1, #4]
    b       SVC_Handler
    .ltorg
