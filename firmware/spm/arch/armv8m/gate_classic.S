/* SPDX-License-Identifier: BSD-3-Clause */
/* The classic gate, for comparison: the whole API function runs inside the SVC handler, above every non-secure interrupt. */
#include "api_numbers.h"
#include "offsets.h"

    .syntax unified
    .thumb
    .section .text.gate_classic, "ax"

    .global SVC_Handler
    .type SVC_Handler, %function
    .thumb_func
SVC_Handler:
    tst     lr, #8
    beq     spm_handler_mode_panic
#if SPM_LEVEL > 1
    ldr     r12, =flih_active
    ldr     r12, [r12]
    cmp     r12, #0
    bne     spm_handler_mode_panic
#endif
    mrs     r12, psp
    push    {r4, r5, r12, lr}
    ldr     r4, =spm_kernel
    movs    r5, #1
    str     r5, [r4, #KERNEL_ACTIVE]
    ldr     r5, [r12, #FRAME_R12]
    cmp     r5, #API_COUNT
    bhs     spm_bad_number_panic
    ldr     r0, =spm_api_table
    ldr     r5, [r0, r5, lsl #2]
    ldmia   r12, {r0-r3}
    blx     r5
    pop     {r1, r2, r3, lr}
    movs    r12, #0
    str     r12, [r4, #KERNEL_ACTIVE]
    str     r0, [r3, #FRAME_R0]
    mov     r0, r4
    mov     r4, r1
    mov     r5, r2
    ldr     r1, [r0, #KERNEL_SWITCH_WANTED]
    cbnz    r1, switch
    bx      lr

/* Here and now: before a PendSV a non-secure handler could run and let its other threads see a call that is not done. */
switch:
    str     r12, [r0, #KERNEL_SWITCH_WANTED]
    mov     r12, r3
    ldr     r3, [r0, #KERNEL_CURRENT]
    b       keep_thread_and_switch
    .ltorg
