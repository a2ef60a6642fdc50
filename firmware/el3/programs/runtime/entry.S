/* SPDX-License-Identifier: BSD-3-Clause */
#include "kept_registers.inc"
#include "machine.h"

#define SCTLR_EL1_RES1 0x30d00800
#define SCTLR_EL2_RES1 0x30c50830
#define SCTLR_MMU_CACHES_SPALIGN 0x100d

/* 4 KiB granule, inner-shareable write-back table walks. */
#define TCR_COMMON ((64 - MACHINE_ADDRESS_BITS) | (1 << 8) | (1 << 10) | (3 << 12))
#define TCR_EL1_VALUE (TCR_COMMON | (1 << 23) | (MACHINE_ADDRESS_SIZE << 32))
#define TCR_EL2_VALUE (TCR_COMMON | (1 << 23) | (1 << 31) | (MACHINE_ADDRESS_SIZE << 16))

/* Attribute 0: Device-nGnRnE. Attribute 1: Normal write-back, read and write allocate. */
#define MAIR_VALUE 0xff00

    .section .stacks, "aw", %nobits
    .balign 64
stacks:
    .space STACK_SIZE * MAX_CORES

    .section .text.entry, "ax"

/* Boot core, from EL3: x0 = device tree. */
    .global payload_entry
payload_entry:
    bl  payload_prepare_core
    adrp    x1, bss_start
    add x1, x1, :lo12:bss_start
    adrp    x2, bss_end
    add x2, x2, :lo12:bss_end
1:  cmp x1, x2
    b.hs    2f
    stp xzr, xzr, [x1], #16
    b   1b
2:  bl  payload_start
    b   park

/* CPU_ON arrives here: x0 = context_id. */
    .global payload_secondary
    .balign 64
payload_secondary:
    bl  payload_prepare_core
    bl  payload_secondary_start
    b   park

/* A powerdown suspend comes back here: x0 = context_id. Returns from smc_frame_call a second time. */
    .global payload_resume
    .balign 64
payload_resume:
    bl  payload_prepare_core
    load_kept_registers
    mov x1, #1
    ret

park:   wfi
    b   park

/* MMU and caches on, vectors, stack and TPIDR_EL0 of this core. Keeps x0, clobbers x1 to x5. */
    .global payload_prepare_core
payload_prepare_core:
    msr daifset, #0xf
    msr spsel, #1
    adrp    x1, payload_vectors
    add x1, x1, :lo12:payload_vectors
    mov x2, #MAIR_VALUE
    mrs x5, CurrentEL
    cmp x5, #(2 << 2)
    b.eq    1f

    msr vbar_el1, x1
    msr mair_el1, x2
    ldr x2, =TCR_EL1_VALUE
    msr tcr_el1, x2
    adrp    x2, tables_el1
    add x2, x2, :lo12:tables_el1
    msr ttbr0_el1, x2
    isb             /* the walk must see the new MAIR, TCR and TTBR */
    tlbi    vmalle1
    ic  iallu
    dsb nsh         /* invalidation complete before translation starts */
    isb
    ldr x2, =(SCTLR_EL1_RES1 | SCTLR_MMU_CACHES_SPALIGN)
    msr sctlr_el1, x2
    isb
    b   2f

1:  msr vbar_el2, x1
    msr mair_el2, x2
    ldr x2, =((1 << 31) | (7 << 3)) /* HCR_EL2: RW, and AMO, IMO, FMO so that interrupts come to EL2 */
    msr hcr_el2, x2
    ldr x2, =TCR_EL2_VALUE
    msr tcr_el2, x2
    adrp    x2, tables_el2
    add x2, x2, :lo12:tables_el2
    msr ttbr0_el2, x2
    isb             /* the walk must see the new MAIR, TCR and TTBR */
    tlbi    alle2
    ic  iallu
    dsb nsh         /* invalidation complete before translation starts */
    isb
    ldr x2, =(SCTLR_EL2_RES1 | SCTLR_MMU_CACHES_SPALIGN)
    msr sctlr_el2, x2
    isb

2:  mrs x1, mpidr_el1
    ubfx    x2, x1, #8, #8
    and x1, x1, #0xff
    add x1, x1, x2, lsl #MACHINE_AFF1_SHIFT
    cmp x1, #MAX_CORES
    b.hs    park
    adrp    x2, stacks
    add x2, x2, :lo12:stacks
    mov x3, #STACK_SIZE
    madd    x2, x1, x3, x2
    add sp, x2, #STACK_SIZE
    adrp    x2, core_contexts
    add x2, x2, :lo12:core_contexts
    mov x3, #CONTEXT_STRIDE
    madd    x2, x1, x3, x2
    msr tpidr_el0, x2
    ret
