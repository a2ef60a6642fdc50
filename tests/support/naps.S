/* SPDX-License-Identifier: BSD-3-Clause */
/* For `virt` with EL3, in its memory: a call of EL3 in which a core sleeps at one place again and again, with little work in between as
 * one that is parked, and at another with much, as one that takes a lock twice. */
#define SCR_RW_NS 0x401
#define EL1H 0x3c5
#define NAPS 9
#define LONG_NAPS 3
#define CALLS 4
    .text
    .global _start
_start:
    mrs x0, mpidr_el1
    tst x0, #0xff
    b.ne parked
    adr x0, vectors
    msr vbar_el3, x0
    mov x0, #SCR_RW_NS
    msr scr_el3, x0
    mov x0, #EL1H
    msr spsr_el3, x0
    adr x0, system
    msr elr_el3, x0
    eret

parked:
    wfe
    b parked

system:
    mov x19, #CALLS
1:  smc #0
    subs x19, x19, #1
    b.ne 1b
    mov x0, #0x18
    adr x1, ended
    hlt #0xf000
    b .

    .type call, %function
call:
    mov x1, #NAPS
1:  sevl
    mov x2, #4
2:  add x3, x3, x2
    ldr x4, [x9]
    subs x2, x2, #1
    b.ne 2b
    sevl
    wfe
    subs x1, x1, #1
    b.ne 1b
    mov x1, #LONG_NAPS
3:  mov x2, #40
4:  add x3, x3, x2
    subs x2, x2, #1
    b.ne 4b
    sevl
    wfe
    subs x1, x1, #1
    b.ne 3b
    eret
    .size call, . - call

    .balign 2048
vectors:
    .skip 0x400
    adr x9, ended
    b call
    .balign 8
ended:
    .quad 0x20026
    .quad 0
