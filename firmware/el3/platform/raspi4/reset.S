/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the board's firmware starts all four cores at EL3, at address 0. It looks for the magic word of the header, and writes over
 * it, and over the two words behind the version, where the tree and the kernel are (github.com/raspberrypi/tools, armstubs).
 */
#include "entry.inc"
#include "memory_map.h"

#define ARMSTUB_MAGIC 0x5afe570b
#define CPUECTLR_EL1 s3_1_c15_c2_1
#define CPUECTLR_SMPEN (1 << 6)
#define L2CTLR_EL1 s3_1_c11_c0_2
#define L2CTLR_RAM_LATENCIES 0x22 /* data RAM: three cycles, and its setup: what the board's own stub sets */

.section .boot, "ax"
.global reset
reset:
    b start
    .org 0xf0
    .word ARMSTUB_MAGIC
    .word 0                 /* version of the header */
.global armstub_tree
armstub_tree:
    .word DEFAULT_TREE
.global armstub_kernel
armstub_kernel:
    .word DEFAULT_KERNEL

/* Core 0 zeroes .bss; the others wait in .data, which is as it was loaded, until all has been set up. */
start:
    mrs x0, CurrentEL
    cmp x0, #(3 << 2)
    b.ne 5f                 /* not entered as an armstub: there is nothing that could be done here */
    ic iallu
    isb
    mrs x0, CPUECTLR_EL1
    orr x0, x0, #CPUECTLR_SMPEN /* before the first cached access: the core takes part in coherency */
    msr CPUECTLR_EL1, x0
    mrs x0, L2CTLR_EL1
    mov x1, #L2CTLR_RAM_LATENCIES
    orr x0, x0, x1
    msr L2CTLR_EL1, x0
    isb
    core_index
    cbnz x20, 3f

    ldr x1, =__bss_start
    ldr x2, =__bss_end
1:  stp xzr, xzr, [x1], #16
    cmp x1, x2
    b.lo 1b
    dsb sy
2:  b arch_cold_boot

3:  ldr x1, =raspi4_is_up
4:  wfe                     /* the boot core sends the event */
    ldr w2, [x1]
    cbz w2, 4b
    dsb sy
    b 2b
5:  wfi
    b 5b
    .ltorg
