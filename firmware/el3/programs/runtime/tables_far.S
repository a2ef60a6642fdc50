/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and memory within two tebibytes: a root of four entries, each for 512 GiB, of which those with something in them have a table. */
#include "tables.inc"

#define TABLE 0x3
#define REACH 512 /* entries of a table */

    .macro  root device_table, memory_table
    .set    index, 0
    .rept   4
    .if index == MACHINE_DEVICE_GIB / REACH
    .quad \device_table + TABLE
    .elseif index == MACHINE_MEMORY_GIB / REACH
    .quad \memory_table + TABLE
    .else
    .quad 0
    .endif
    .set    index, index + 1
    .endr
    .endm

    .macro  table_of gib, device_bits, memory_bits
    blocks  (\gib / REACH * REACH), REACH, \device_bits, \memory_bits
    .endm

    .section .rodata.tables, "a"
    .balign 4096
devices_el1:
    table_of MACHINE_DEVICE_GIB, DEVICE_EL1, MEMORY_EL1
memory_el1:
    table_of MACHINE_MEMORY_GIB, DEVICE_EL1, MEMORY_EL1
devices_el2:
    table_of MACHINE_DEVICE_GIB, DEVICE_EL2, MEMORY_EL2
memory_el2:
    table_of MACHINE_MEMORY_GIB, DEVICE_EL2, MEMORY_EL2
    .global tables_el1
tables_el1:
    root    devices_el1, memory_el1
    .global tables_el2
    .balign 64
tables_el2:
    root    devices_el2, memory_el2
