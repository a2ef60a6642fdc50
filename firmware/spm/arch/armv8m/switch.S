/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context switch. PendSV has the lowest priority, so every other interrupt may come in the middle of it: it
 * changes only what no interrupt handler touches, and a handler that wants another switch pends PendSV again.
 */
#define LINKER_SCRIPT /* plain numbers */
#include "memory_map.h"
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
    cbz     r1, 1f
record:                                 /* the SPM runs: it will ask on its way out */
    movs    r1, #1
    str     r1, [r0, #KERNEL_SWITCH_WANTED]
    bx      lr

1:  mrs     r12, psp
    ldr     r2, =GATEWAY_START
    cmn     lr, #3                      /* a secure thread, and nothing special about its frame */
    bne     special_frame
    ldr     r3, [r12, #FRAME_PC]
    cmp     r3, r2
    bhs     record                      /* a gateway, perhaps of a second thread that is being refused */
    ldr     r3, [r0, #KERNEL_CURRENT]
    str     r1, [r0, #KERNEL_SWITCH_WANTED]
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
    orr     r12, r3
    lsls    r12, #31                    /* SPM_ARCH_FIVE_REGIONS, of the old table or of the new */
    bmi     load_five
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
    cmn     lr, #3
    bne     resume_special_frame
    ldr     r3, [r2, #PARTITION_DEFERRED]
    cbz     r3, 2f
    movs    r3, #0
    str     r3, [r2, #PARTITION_DEFERRED]
    ldr     r3, [r2, #PARTITION_RESULT]
    str     r3, [r1, #FRAME_R0]
2:  bx      lr

/* The same with what the hardware adds to a frame: extra state, floating point. r1: zero, r2: the start of the gateways. */
special_frame:
    tst     lr, #EXC_RETURN_SECURE
#if SPM_SCHEDULE_AT_ONCE
    beq     non_secure_interrupted
#else
    beq     record                      /* the non-secure side was interrupted: not before its next call */
#endif
    mov     r3, r12
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r3, #EXTRA_STATE_BYTES
    ldr     r3, [r3, #FRAME_PC]
    cmp     r3, r2
    bhs     record
    ldr     r3, [r0, #KERNEL_CURRENT]
    str     r1, [r0, #KERNEL_SWITCH_WANTED]

/* r0: the kernel, r3: the partition that ran, r12: its PSP. */
    .global keep_thread_and_switch
    .thumb_func
keep_thread_and_switch:
    stmia   r3!, {r4-r11}
    stmia   r3, {r12, lr}
    tst     lr, #EXC_RETURN_FTYPE
    bne     switch_to_most_urgent

/*
 * The thread that runs for a non-secure one may carry its floating-point state: what the hardware does not put into the
 * frame is kept here, because the non-secure side may run another thread before this one goes on.
 */
    .fpu    fpv5-sp-d16
    adds    r3, #(PARTITION_FLOATING_POINT - PARTITION_PSP)
    vstmia  r3, {s16-s31}
    b       switch_to_most_urgent

#if SPM_SCHEDULE_AT_ONCE
/*
 * A non-secure thread may wait while a partition works, if no thread is in a call: what one of them would come back to
 * lies on the stack of the agent. A non-secure handler may not: secure threads would run at its priority.
 */
non_secure_interrupted:
    tst     lr, #EXC_RETURN_THREAD
    beq     record
    ldr     r3, =ns_agent_stack_top
    cmp     r12, r3
    bne     record
    ldr     r3, [r0, #KERNEL_CURRENT]
    str     r1, [r0, #KERNEL_SWITCH_WANTED]
    b       keep_thread_and_switch
#endif

resume_special_frame:
    tst     lr, #EXC_RETURN_FTYPE
    bne     3f
    add     r3, r2, #PARTITION_FLOATING_POINT
    vldmia  r3, {s16-s31}
3:  ldr     r3, [r2, #PARTITION_DEFERRED]
    cbz     r3, 4f
    movs    r3, #0
    str     r3, [r2, #PARTITION_DEFERRED]
    ldr     r3, [r2, #PARTITION_RESULT]
    tst     lr, #EXC_RETURN_DCRS
    it      eq
    addeq   r1, #EXTRA_STATE_BYTES
    str     r3, [r1, #FRAME_R0]
4:  bx      lr

#if SPM_LEVEL > 1
load_five:
    bics    r12, r3, #1
    lsls    r3, #31
    ldmia   r12!, {r4-r11}
    it      pl
    ldrpl   r12, =platform_code_alias
    ldr     r1, =0xE000ED98             /* MPU_RNR, then the registers above */
    movs    r3, #MPU_FIFTH_REGION
    str     r3, [r1]
    movs    r3, #0                      /* the new base with the old limit could lie over code */
    str     r3, [r1, #8]
    ldr     r3, [r12]
    str     r3, [r1, #4]
    ldr     r3, [r12, #4]
    str     r3, [r1, #8]
    movs    r3, #MPU_FIRST_OF_FOUR
    str     r3, [r1], #4
    stmia   r1, {r4-r11}
    dsb
    isb
    b       1b
#endif

    .ltorg
