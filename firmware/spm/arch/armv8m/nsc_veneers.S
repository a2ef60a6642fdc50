/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the non-secure side may call. The word under the NS agent's stack is a seal; anything else there means that a
 * call is under way already. Registers are scrubbed on the way out.
 */
#include "api_numbers.h"

    .syntax unified
    .thumb

    .macro gateway name
    .section .text.\name, "ax"
    .global \name
    .global __acle_se_\name
    .type \name, %function
    .type __acle_se_\name, %function
    .thumb_func
\name:
__acle_se_\name:
    push    {r4, lr}
    ldr     r4, [sp, #8]
    ldr     r12, =0xFEF5EDA5
    cmp     r4, r12
    bne     spm_re_entry_panic
    .endm

    .macro leave name
    pop     {r4, lr}
    movs    r1, #0
    mov     r2, r1
    mov     r3, r1
    mov     r12, r1
    msr     apsr_nzcvq, r1
    bxns    lr
    .ltorg
    .size   \name, . - \name
    .size   __acle_se_\name, . - __acle_se_\name
    .endm

    .macro entry name, function, number
    gateway \name
#if SPM_GATE_CLASSIC
    mrs     r12, ipsr
    cmp     r12, #0
    bne     spm_handler_mode_panic
    mov     r12, #\number
    svc     #0
#elif SPM_GATE_THREAD || SPM_GATE_SVC
    ldr     r12, =spm_\function
    bl      gate_thread
#else
    mrs     r12, ipsr
    cmp     r12, #0
    bne     spm_handler_mode_panic
    bl      spm_\function
#endif
    leave   \name
    .endm

    entry   nsc_psa_framework_version, framework_version, API_framework_version
    entry   nsc_psa_version, version, API_version
    entry   nsc_psa_connect, connect, API_connect
    entry   nsc_psa_call, call, API_call
    entry   nsc_psa_close, close, API_close

#if SPM_TEST_VENEERS
/* Services of the platform to the bench and the tests, in their images only: no PSA API, no partition. */
    .macro helper name, function
    gateway \name
    bl      \function
    leave   \name
    .endm

    helper  nsc_exit, platform_exit
    helper  nsc_panic_word, platform_panic_word
#endif

#if SPM_DIAGNOSTIC_VENEERS
/*
 * For the interrupt sweep, in bench images only: where the secure side was when a non-secure interrupt came. The caller
 * is that interrupt's handler; r0 is its EXC_RETURN.
 */
    .section .text.nsc_interrupted_pc, "ax"
    .global nsc_interrupted_pc
    .global __acle_se_nsc_interrupted_pc
    .type nsc_interrupted_pc, %function
    .type __acle_se_nsc_interrupted_pc, %function
    .thumb_func
nsc_interrupted_pc:
__acle_se_nsc_interrupted_pc:
    tst     r0, #8                      /* secure threads run on the process stack, handlers on the main one */
    ite     eq
    mrseq   r1, msp
    mrsne   r1, psp
    ldr     r0, [r1, #64]               /* above ten words of extra state, the seventh of the frame */
    movs    r1, #0
    bxns    lr
    .size   nsc_interrupted_pc, . - nsc_interrupted_pc
    .size   __acle_se_nsc_interrupted_pc, . - __acle_se_nsc_interrupted_pc
#endif
