/* SPDX-License-Identifier: BSD-3-Clause */
/* Where every core starts, in flash. */
#include "entry.inc"
#include "memory_map.h"

#define UART_FR 0x18
#define SEMIHOSTING_EXIT 0x20

/*
 * Core 0 copies the image to secure RAM; the others wait until it has been set up. They learn of
 * it from a register that a reset of the machine clears: memory outlives one, and a core may be here before core 0 has run.
 */
.section .boot, "ax"
.global reset
reset:
    mrs x0, CurrentEL
    cmp x0, #(3 << 2)
    b.ne no_el3
    core_index
    cbnz x20, 5f

    adr x5, copied
    mov x6, #3
1:  ldp x0, x1, [x5], #16
    ldr x2, [x5], #8
2:  cmp x1, x2
    b.hs 3f
    ldp x3, x4, [x0], #16
    stp x3, x4, [x1], #16
    b 2b
3:  subs x6, x6, #1
    b.ne 1b
    ldr x1, =__bss_start
    ldr x2, =__bss_end
4:  stp xzr, xzr, [x1], #16
    cmp x1, x2
    b.lo 4b
    dsb sy          /* the copy is in memory ... */
    ic iallu
    isb             /* ... before it is fetched */
    ldr x0, =arch_cold_boot
    br x0

5:  ldr x1, =UP_REGISTER
    ldr x3, =platform_is_up
6:  wfe             /* the boot core sends the event */
    ldr w2, [x3]    /* memory first: it may be of an earlier life, but it costs the emulator less than the register */
    cbz w2, 6b
    ldr w2, [x1]
    cbz w2, 6b
    cmp x20, x2     /* it holds the number of cores: one too many stays here */
    b.hs 7f
    dsb sy
    ic iallu
    isb
    ldr x0, =arch_cold_boot
    br x0
7:  wfi
    b 7b
    .ltorg
    .balign 8
copied: /* from flash, to RAM, up to */
    .quad __text_load, __text_start, __text_copied
    .quad __const_load, __const_start, __const_copied
    .quad __data_load, __data_start, __data_copied

/*
 * A machine without EL3, which could do nothing for anybody. It is told so, and the emulator is asked to end with a failure; one
 * that does not listen goes on at 0x200 with an undefined instruction, and is asked to power off.
 */
no_el3:
    ldr x1, =NS_UART_BASE
    adr x2, no_el3_text
1:  ldrb w3, [x2], #1
    cbz w3, 3f
2:  ldr w4, [x1, #UART_FR]
    tbnz w4, #5, 2b
    str w3, [x1]
    b 1b
3:  cmp x0, #(2 << 2)
    b.eq 4f
    msr vbar_el1, xzr
    b 5f
4:  msr vbar_el2, xzr
5:  isb
    mov w0, #SEMIHOSTING_EXIT
    adr x1, semihosting_failure
    hlt #0xf000
    .ltorg
    .balign 8
semihosting_failure:
    .quad 0x20026, 1        /* the application exits, with this status */
no_el3_text:
    .asciz "latlab: this machine has no EL3; start QEMU with -M virt,secure=on\r\n"
    .org 0x200
    ldr w0, =0x84000008     /* SYSTEM_OFF of whoever plays the firmware: by HVC, or by SMC below an EL2 */
    mrs x1, CurrentEL
    cmp x1, #(2 << 2)
    b.eq 6f
    hvc #0
6:  smc #0
7:  wfi
    b 7b
    .ltorg
