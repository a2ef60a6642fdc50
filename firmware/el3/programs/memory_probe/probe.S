/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in two places, the second in another node of the machine: can a core be started there, and is either still what it was after a
 * reset? Says what it finds in both, marks both, protects memory and waits. Two cores; memory up to FAR at least.
 */
#include "../../platform/qemu_virt/memory_map.h"
#include "../runtime/say.inc"

#define PSCI_CPU_OFF 0x84000002
#define PSCI_CPU_ON_64 0xc4000003
#define PSCI_AFFINITY_INFO_64 0xc4000004
#define PSCI_MEM_PROTECT 0x84000013
#define NEAR 0x5ffe0000
#define FAR 0x80000000
#define FAR_CODE 0x80001000
#define MARK 0x0123456789abcdef

.section .text, "ax"
.global _start
_start:
    ldr x19, =NEAR
    ldr x20, =FAR
    ldr x0, [x19]
    say near
    ldr x0, [x20]
    say far

    ldr x21, =FAR_CODE
    adr x0, second
    adr x1, second_end
    mov x2, x21
1:  ldp x3, x4, [x0], #16
    stp x3, x4, [x2], #16
    cmp x0, x1
    b.lo 1b
    dsb sy
    ic iallu
    isb
    ldr w0, =PSCI_CPU_ON_64
    mov x1, #1
    mov x2, x21
    mov x3, #7
    smc #0
    say started
2:  ldr w0, =PSCI_AFFINITY_INFO_64
    mov x1, #1
    mov x2, #0
    smc #0
    cmp x0, #1
    b.ne 2b
    ldr x0, [x20, #8]
    say came_from

    ldr x0, =MARK
    str x0, [x19]
    str x0, [x20]
    ldr w0, =PSCI_MEM_PROTECT
    mov x1, #1
    smc #0
    say protected
3:  wfi
    b 3b

    .ltorg
    .balign 16
/* Runs where it has been copied to, and says so by its own address. */
second:
    adr x1, second
    mov x2, #FAR
    str x1, [x2, #8]
    dsb sy
    movz w0, #(PSCI_CPU_OFF & 0xffff)
    movk w0, #(PSCI_CPU_OFF >> 16), lsl #16
    smc #0
    .balign 16
second_end:

print_here
