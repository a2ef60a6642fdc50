/* SPDX-License-Identifier: BSD-3-Clause */
/* A firmware at EL3 that hangs in the call that a client at EL1 makes, in the way that HANG names. Core 1 waits in holding_pen, or hangs too. */
    .macro function name
    .balign 4
    .global \name
    .type \name, %function
\name:
    .endm

    .equ RAM, 0x0e000000
    .equ LOCK_A, RAM
    .equ LOCK_B, RAM + 8
    .equ FLAG, RAM + 16
    .equ CLIENT_AT, 0x40000000 /* a client in the normal world cannot run from the secure flash */

    .text
    .global _start
    function _start
    adr x0, vectors
    msr vbar_el3, x0
    mov x0, #0x401 /* NS, RW */
    orr x0, x0, #0x30
    msr scr_el3, x0
    msr sctlr_el1, xzr
    mrs x19, mpidr_el1
    and x19, x19, #0xff
#ifndef BOTH
    cbnz x19, holding_pen
#endif
    mov x0, #0x3c5
    msr spsr_el3, x0
    mov x1, #CLIENT_AT
    adr x0, client
    ldr w2, [x0]
    ldr w3, [x0, #4]
    ldr w4, [x0, #8]
    ldr w5, [x0, #12]
    stp w2, w3, [x1]
    stp w4, w5, [x1, #8]
    msr elr_el3, x1
    eret

    function holding_pen
    wfe
    b holding_pen

    function client
    mov x0, #1 /* CPU_SUSPEND */
    movk x0, #0xc400, lsl #16
    smc #0
    b .

    function spin_lock
    mov w2, #1
1:  ldaxr w3, [x0]
    cbnz w3, 1b
    stxr w3, w2, [x0]
    cbnz w3, 1b
    ret

    function event_lock
    mov w2, #1
    sevl
1:  wfe
    ldaxr w3, [x0]
    cbnz w3, 1b
    stxr w3, w2, [x0]
    cbnz w3, 1b
    ret

    function wait_for_flag
    ldr w3, [x0]
    cbz w3, wait_for_flag
    ret

    function wait_for_core_off
    ldr w3, [x0]
    cmp w3, #1
    b.ne wait_for_core_off
    ret

    function delay
    mrs x3, cntpct_el0
1:  mrs x4, cntpct_el0
    sub x4, x4, x3
    mov x5, #0x7fffffffffffffff
    cmp x4, x5
    b.lo 1b
    ret

    function clear_memory
1:  str xzr, [x0]
    subs x1, x1, #8
    b.ne 1b
    ret

    function power_down
    wfi
    b power_down

    function faults
    udf #0
    ret

    function psci_cpu_suspend
    ldr x0, =LOCK_A
#if HANG == 1
    mov w2, #1
    str w2, [x0]
    bl spin_lock
#elif HANG == 2
    mov w2, #1
    str w2, [x0]
    bl event_lock
#elif HANG == 3
    bl power_down
#elif HANG == 4
    bl faults
#elif HANG == 5
    ldr x0, =FLAG
    bl wait_for_flag
#elif HANG == 6
    ldr x1, =0x0e800000 /* RAM that nobody wrote */
    msr vbar_el3, x1
    isb
    udf #0
#elif HANG == 7
    ldr x0, =FLAG
    bl wait_for_core_off
#elif HANG == 8
    bl delay
#elif HANG == 9
    mov x1, #4
    bl clear_memory
#elif HANG == 10
    ldr x1, =LOCK_B
    cmp x19, #0
    csel x20, x0, x1, eq
    csel x21, x1, x0, eq
    mov x0, x20
    bl spin_lock
2:  ldr w3, [x21] /* until the other core has its lock */
    cbz w3, 2b
    mov x0, x21
    bl spin_lock
#endif
    eret

    function same_level
    eret

    .balign 2048
    .global vectors
vectors:
    .balign 128
    b same_level
    .rept 3
    .balign 128
    b .
    .endr
    .balign 128
    b same_level
    .rept 3
    .balign 128
    b .
    .endr
    .balign 128
    b psci_cpu_suspend
    .rept 3
    .balign 128
    b .
    .endr
    .ltorg
