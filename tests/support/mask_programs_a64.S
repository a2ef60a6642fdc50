/* SPDX-License-Identifier: BSD-3-Clause */
/* For mask_programs.py: the rounds of `table`, each its piece of EL3 and then that of a lower level. Whoever takes an interrupt at a level
 * masks both where it came from and routes none to itself, so that one which waits for ever holds nobody up. */
    .text
    .global _start
_start:
    mrs x0, mpidr_el1
    tst x0, #0xff
    b.eq 1f
0:  wfi
    b 0b
1:  ldr x0, =vectors3
    msr vbar_el3, x0
    ldr x0, =vectors2
    msr vbar_el2, x0
    ldr x0, =vectors1
    msr vbar_el1, x0
    mov x9, #0x08000000
    mov x10, #0x08010000
    mov w0, #1
    str w0, [x9, #0x80]
    mov w0, #3
    str w0, [x9]
    mov w0, #0xf
    str w0, [x10]
    mov w0, #0xff
    str w0, [x10, #4]
    ldr x25, =table
next:
    msr daifset, #15
    ldp x0, x1, [x25], #16
    cbz x0, 2f
    ldp x2, x3, [x25], #16
    ldr x4, [x25], #8
    msr scr_el3, x3
    msr hcr_el2, x4
    isb
    blr x1
    msr daifset, #15
    msr scr_el3, x3
    msr hcr_el2, x4
    msr spsr_el3, x2
    msr elr_el3, x0
    eret
2:  mov x0, #0x18
    adr x1, ended
    hlt #0xf000
    b .
    .balign 8
ended:
    .quad 0x20026, 0
    .ltorg

    .macro vectors_of level
    .balign 2048
vectors\level:
    .rept 4
    .balign 128
    b sync\level
    .balign 128
    b interrupt\level
    .balign 128
    b interrupt\level
    .balign 128
    b interrupt\level
    .endr
    .balign 128
interrupt\level:
    .if \level == 3
    mrs x20, scr_el3
    bic x20, x20, #6
    msr scr_el3, x20
    .elseif \level == 2
    mrs x20, hcr_el2
    bic x20, x20, #0x18
    bic x20, x20, #0x8000000
    msr hcr_el2, x20
    .endif
    mrs x20, spsr_el\level
    orr x20, x20, #0xc0
    msr spsr_el\level, x20
    eret
    .endm

    .macro sync_of level
sync\level:
    mrs x20, esr_el\level
    and x22, x20, #0xffff
    lsr x21, x20, #26
    cmp x21, #0x15
    b.eq 1f
    cmp x21, #0x16
    b.eq 2f
    mrs x22, elr_el\level
    add x22, x22, #4
    msr elr_el\level, x22
2:  eret
1:  cmp x22, #77
    b.ne 2b
    smc #77
    b .
    .endm

    vectors_of 1
    vectors_of 2
    vectors_of 3
    sync_of 1
    sync_of 2
sync3:
    mrs x20, esr_el3
    lsr x21, x20, #26
    cmp x21, #0x17
    b.ne next
    and x20, x20, #0xffff
    cmp x20, #77
    b.eq next
    eret
