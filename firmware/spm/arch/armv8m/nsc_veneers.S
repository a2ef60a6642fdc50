/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the non-secure side may call. Between calls the NS agent's stack is empty; any other stack pointer means that a
 * call is under way already, or that a handler calls. A caller that can be told is refused then. Registers are scrubbed
 * on the way out.
 *
 * A second thread's entry finds the secure side as it was interrupted, unprivileged if that was a partition: so this code
 * lies where partitions' code does, and refuses without any right.
 */
#include "api_numbers.h"
#include "offsets.h"

#define FRAMEWORK_VERSION 0x0101
#define VERSION_NONE      0
#define CONNECTION_BUSY   -131
#define NOT_PERMITTED     -133

    .syntax unified
    .thumb

    .macro gateway name, unmasks=0
    .section .gateway.\name, "ax"
    .global \name
    .global __acle_se_\name
    .global inside_\name                /* for an entry of another name */
    .type \name, %function
    .type __acle_se_\name, %function
    .type inside_\name, %function      /* the linker branches from another file only to what is known as Thumb code */
    .thumb_func
\name:
__acle_se_\name:
inside_\name:
    ldr     r12, =ns_agent_stack_top
    cmp     sp, r12
    bne     9f
    push    {r4, lr}
    .if     \unmasks
    mov     r12, #0                     /* the caller is in: its threads may switch again */
    msr     primask_ns, r12
    .endif
    .endm

    .macro leave name, refusal
    pop     {r4, lr}
    movs    r1, #0
    mov     r2, r1
    mov     r3, r1
    mov     r12, r1
    msr     apsr_nzcvq, r1
    bxns    lr
    .ifc    \refusal, none
9:  b       spm_second_entry_panic
    .else
9:  ldr     r0, =\refusal
    b       refuse_second_entry
    .endif
    .ltorg
    .size   \name, . - \name
    .size   __acle_se_\name, . - __acle_se_\name
    .endm

    .macro entry name, function, number, refusal, unmasks=0
    gateway \name, \unmasks
#if SPM_GATE_CLASSIC
    mov     r12, #\number
    svc     #0
#elif SPM_GATE_THREAD || SPM_GATE_SVC
    ldr     r12, =spm_\function
    bl      gate_thread
#else
    bl      spm_\function
#endif
    leave   \name, \refusal
    .endm

    entry   nsc_psa_framework_version, framework_version, API_framework_version, FRAMEWORK_VERSION
    entry   nsc_psa_version, version, API_version, VERSION_NONE
    entry   nsc_psa_connect, connect, API_connect, CONNECTION_BUSY
    entry   nsc_psa_call, call, API_call, CONNECTION_BUSY
    entry   nsc_psa_close, close, API_close, none
    entry   nsc_psa_close_or_refuse, close, API_close, CONNECTION_BUSY

#if SPM_SCHEDULE_AT_ONCE
/* For a caller that masks interrupts only to knock. */
    entry   nsc_psa_version_unmask, version, API_version, VERSION_NONE, 1
    entry   nsc_psa_connect_unmask, connect, API_connect, CONNECTION_BUSY, 1
    entry   nsc_psa_call_unmask, call, API_call, CONNECTION_BUSY, 1
    entry   nsc_psa_close_unmask, close, API_close, CONNECTION_BUSY, 1
#endif

/* The stack here is that of the call under way: nothing is put on it. r0: the answer; r1 says that it is a refusal. */
    .section .gateway.refuse_second_entry, "ax"
    .type refuse_second_entry, %function
    .thumb_func
refuse_second_entry:
    mrs     r12, ipsr
    cmp     r12, #0
    bne     spm_handler_mode_panic
    movs    r1, #1
    movs    r2, #0
    mov     r3, r2
    mov     r12, r2
    msr     apsr_nzcvq, r2
    bxns    lr

    .type spm_second_entry_panic, %function
    .thumb_func
spm_second_entry_panic:
    mrs     r12, ipsr
    cmp     r12, #0
    bne     spm_handler_mode_panic
#if SPM_LEVEL > 1
    mrs     r12, control
    tst     r12, #1
    beq     spm_re_entry_panic
    mov     r12, #API_second_entry
    svc     #0
#endif
    b       spm_re_entry_panic

/*
 * Client ids are the business of the non-secure scheduler: of its handlers, which have the main stack to themselves, or
 * of privileged threads between calls.
 */
    .macro client name, function
    .section .gateway.\name, "ax"
    .global \name
    .global __acle_se_\name
    .type \name, %function
    .type __acle_se_\name, %function
    .thumb_func
\name:
__acle_se_\name:
    mrs     r12, ipsr
    cmp     r12, #0
    bne     1f
    ldr     r12, =ns_agent_stack_top
    cmp     sp, r12
    bne     9f
    mrs     r12, control_ns
    tst     r12, #1
    bne     8f
1:  push    {r4, lr}
    bl      \function
    pop     {r4, lr}
2:  movs    r1, #0
    mov     r2, r1
    mov     r3, r1
    mov     r12, r1
    msr     apsr_nzcvq, r1
    bxns    lr
8:  ldr     r0, =NOT_PERMITTED
    b       2b
9:  ldr     r0, =CONNECTION_BUSY
    b       2b
    .ltorg
    .size   \name, . - \name
    .size   __acle_se_\name, . - __acle_se_\name
    .endm

    client  nsc_client_register, spm_ns_client_register
    client  nsc_client_select, spm_ns_client_select

#if SPM_TEST_VENEERS
/* Services of the platform to the bench and the tests, in their images only: no PSA API, no partition. */
    .macro helper name, function
    gateway \name
    bl      \function
    leave   \name, CONNECTION_BUSY
    .endm

    helper  nsc_panic_word, platform_panic_word

/* The limit of the stack of the secure thread that an interrupt found (r0: 0), or of secure handlers (r0: 1). For handlers. */
    .section .gateway.nsc_stack_limit, "ax"
    .global nsc_stack_limit
    .global __acle_se_nsc_stack_limit
    .type nsc_stack_limit, %function
    .type __acle_se_nsc_stack_limit, %function
    .thumb_func
nsc_stack_limit:
__acle_se_nsc_stack_limit:
    cmp     r0, #0
    ite     eq
    mrseq   r0, psplim
    mrsne   r0, msplim
    bxns    lr
    .size   nsc_stack_limit, . - nsc_stack_limit
    .size   __acle_se_nsc_stack_limit, . - __acle_se_nsc_stack_limit
#endif

#if SPM_DIAGNOSTIC_VENEERS
/*
 * For the interrupt sweep, in bench images only: where the secure side was when a non-secure interrupt came. The caller
 * is that interrupt's handler; r0 is its EXC_RETURN.
 */
    .section .gateway.nsc_interrupted_pc, "ax"
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
