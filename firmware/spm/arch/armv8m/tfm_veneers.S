/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entries by the names that TF-M's non-secure interface library links with, so that a program made for the one SPM runs on
 * the other. Each leads through the entry of nsc_veneers.S: what is checked and scrubbed there is checked and scrubbed here.
 */
    .syntax unified
    .thumb

    .macro alias name, entry
    .section .gateway.\name, "ax"
    .global \name
    .global __acle_se_\name
    .type \name, %function
    .type __acle_se_\name, %function
    .thumb_func
\name:
__acle_se_\name:
    b       inside_\entry
    .size   \name, . - \name
    .size   __acle_se_\name, . - __acle_se_\name
    .endm

    alias   tfm_psa_framework_version_veneer, nsc_psa_framework_version
    alias   tfm_psa_version_veneer, nsc_psa_version
    alias   tfm_psa_connect_veneer, nsc_psa_connect
    alias   tfm_psa_close_veneer, nsc_psa_close

/*
 * TF-M's word has the type in its lowest half, the number of outputs in bits 16 to 18 and that of inputs in bits 24 to 26;
 * ours has the inputs in bits 16 to 19 and the outputs from bit 20 on. The other bits are marks of TF-M's own side and mean
 * nothing from here. The bit below the outputs comes along, as the highest of the inputs' four: it is the type's sign, and a
 * call that has it set is refused whatever its counts are.
 */
    .section .gateway.tfm_psa_call_veneer, "ax"
    .global tfm_psa_call_veneer
    .global __acle_se_tfm_psa_call_veneer
    .type tfm_psa_call_veneer, %function
    .type __acle_se_tfm_psa_call_veneer, %function
    .thumb_func
tfm_psa_call_veneer:
__acle_se_tfm_psa_call_veneer:
    ubfx    r12, r1, #15, #4
    bfi     r1, r12, #27, #4
    ubfx    r12, r1, #24, #7
    uxth    r1, r1
    orr     r1, r1, r12, lsl #16
    b       inside_nsc_psa_call
    .size   tfm_psa_call_veneer, . - tfm_psa_call_veneer
    .size   __acle_se_tfm_psa_call_veneer, . - __acle_se_tfm_psa_call_veneer

/* Client ids are for handlers of the non-secure side, which have the main stack to themselves; a thread is told so. */
    .macro client name, refusal
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
    beq     1f
    push    {r4, lr}
    bl      spm_\name
    pop     {r4, lr}
    b       2f
1:  mov     r0, #\refusal
2:  movs    r1, #0
    mov     r2, r1
    mov     r3, r1
    mov     r12, r1
    msr     apsr_nzcvq, r1
    bxns    lr
    .size   \name, . - \name
    .size   __acle_se_\name, . - __acle_se_\name
    .endm

#define INVALID_ACCESS 3
#define INVALID_TOKEN  0xFFFFFFFF

    client  tfm_nsce_init, 0
    client  tfm_nsce_acquire_ctx, INVALID_TOKEN
    client  tfm_nsce_release_ctx, INVALID_ACCESS
    client  tfm_nsce_load_ctx, INVALID_ACCESS
    client  tfm_nsce_save_ctx, INVALID_ACCESS
