/* SPDX-License-Identifier: BSD-3-Clause */
    .macro  vector number
    .balign 128
    mov x0, #\number
    b   exception_entry
    .endm

    .text
    .balign 2048
    .global payload_vectors
payload_vectors:
    .set    n, 0
    .rept   12
    vector  n
    .set    n, n + 1
    .endr
    .balign 128
    b   from_aarch32
    .set    n, 13
    .rept   3
    vector  n
    .set    n, n + 1
    .endr

/* The AArch32 EL1 of smc_call.S hands back with an HVC. */
from_aarch32:
    msr tpidr_el2, x0
    mrs x0, esr_el2
    lsr x0, x0, #26
    cmp x0, #0x12
    mrs x0, tpidr_el2
    b.eq    smc_called_from_aarch32
    mov x0, #12
    b   exception_entry

/* Every exception is fatal: interrupts stay masked and are taken by polling. */
exception_entry:
    mov x5, sp
    mrs x1, CurrentEL
    cmp x1, #(2 << 2)
    b.eq    1f
    mrs x1, esr_el1
    mrs x2, elr_el1
    mrs x3, far_el1
    mov x4, x30
    b   exception_report
1:  mrs x1, esr_el2
    mrs x2, elr_el2
    mrs x3, far_el2
    mov x4, x30
    b   exception_report
