/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and memory within four gibibytes: the roots are the blocks themselves. */
#include "tables.inc"

    .section .rodata.tables, "a"
    .global tables_el1
    .balign 64
tables_el1:
    blocks  0, 4, DEVICE_EL1, MEMORY_EL1
    .global tables_el2
    .balign 64
tables_el2:
    blocks  0, 4, DEVICE_EL2, MEMORY_EL2
