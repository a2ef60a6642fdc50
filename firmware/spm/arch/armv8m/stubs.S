/* SPDX-License-Identifier: BSD-3-Clause */
/* psa_* as a partition calls them: straight into the SPM (SFN), through the gate (level 1) or by SVC (above). */
#include "api_numbers.h"

    .syntax unified
    .thumb

#if SPM_GATE_SVC || SPM_GATE_CLASSIC
    .macro enter function, number
    mov     r12, #\number
    svc     #0
    bx      lr
    .endm
#elif SPM_GATE_THREAD
    .macro enter function, number
    ldr     r12, =spm_\function
    b       gate_thread
    .ltorg
    .endm
#else
    .macro enter function, number
    mrs     r12, ipsr
    cmp     r12, #0
    beq     spm_\function
    b       spm_handler_mode_panic
    .endm
#endif

    .macro stub name, function, number
    .section .text.\name, "ax"
    .global \name
    .type \name, %function
    .thumb_func
\name:
    enter   \function, \number
    .size   \name, . - \name
    .endm

    stub    psa_framework_version, framework_version, API_framework_version
    stub    psa_version, version, API_version
    stub    psa_connect, connect, API_connect
    stub    psa_call_packed, call, API_call
    stub    psa_close, close, API_close
    stub    psa_wait, wait, API_wait
    stub    psa_get, get, API_get
    stub    psa_set_rhandle, set_rhandle, API_set_rhandle
    stub    psa_read, read, API_read
    stub    psa_skip, skip, API_skip
    stub    psa_write, write, API_write
    stub    psa_reply, reply, API_reply
    stub    psa_notify, notify, API_notify
    stub    psa_clear, clear, API_clear
    stub    psa_eoi, eoi, API_eoi
    stub    psa_reset_signal, reset_signal, API_reset_signal
    stub    psa_irq_enable, irq_enable, API_irq_enable
    stub    psa_irq_disable, irq_disable, API_irq_disable
    stub    psa_panic, partition_panic, API_partition_panic
    stub    psa_rot_lifecycle_state, rot_lifecycle_state, API_rot_lifecycle_state
#if PSA_FRAMEWORK_HAS_MM_IOVEC
    stub    psa_map_invec, map_invec, API_map_invec
    stub    psa_unmap_invec, unmap_invec, API_unmap_invec
    stub    psa_map_outvec, map_outvec, API_map_outvec
    stub    psa_unmap_outvec, unmap_outvec, API_unmap_outvec
#endif

#if SPM_LEVEL > 1
/* Where a deprivileged first-level handler returns to, with its answer in r0. */
    .section .text.flih_return, "ax"
    .global flih_return
    .type flih_return, %function
    .thumb_func
flih_return:
    udf     #0
#endif
