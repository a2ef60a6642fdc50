/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry point for CPU_ON that notes the state in which EL3 delivers a core, before it changes any of it. */
    .section .text.entry, "ax"
    .global probe_entry
    .balign 64
probe_entry:
    mrs x20, daif
    mrs x21, CurrentEL
    mrs x23, SPSel
    cmp x21, #(2 << 2)
    b.eq    1f
    mrs x22, sctlr_el1
    b   2f
1:  mrs x22, sctlr_el2
2:  bl  payload_prepare_core
    adrp    x1, probe_state
    add x1, x1, :lo12:probe_state
    stp x0, x20, [x1]
    stp x21, x22, [x1, #16]
    str x23, [x1, #32]
    bl  payload_secondary_start
    b   .
