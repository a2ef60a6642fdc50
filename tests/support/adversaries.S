/* SPDX-License-Identifier: BSD-3-Clause */
/* Every core walks the table behind the image's first word, the number of cores: it enters each piece of code in the world and with the
 * traps that its row says. A piece ends with a call number END; what is trapped or faults in it is stepped over.
 * x25: memory of this core; x26: its number; x27: the next row. x28 and x29 are the handlers'. */
.equ IMAGE, 0x60000000
.equ ARRIVED, IMAGE - 64
.equ SCRATCH, 0x61000000
.equ END, 77
.equ SEMIHOSTING_EXIT, 0x18
.equ EC_SVC, 0x15
.equ EC_HVC, 0x16
.equ EC_HVC32, 0x12
.equ EC_SMC, 0x17
.equ EC_SMC32, 0x13

.macro vectors name, handler
    .balign 2048
\name:
    .rept 16
    .balign 128
    b \handler
    .endr
.endm

.macro step_over level
    mrs x28, elr_el\level
    add x28, x28, #4
    msr elr_el\level, x28
    eret
.endm

.text
    mrs x26, mpidr_el1
    and x26, x26, #0xff
    adr x0, el3_vectors
    msr vbar_el3, x0
    adr x0, el2_vectors
    msr vbar_el2, x0
    adr x0, el1_vectors
    msr vbar_el1, x0
    ldr x25, =SCRATCH
    add x25, x25, x26, lsl #12
    ldr x27, =IMAGE + 8
next:
    ldp x0, x1, [x27], #16 /* entry, SPSR */
    cbz x0, done
    ldp x2, x3, [x27], #16 /* SCR_EL3, HCR_EL2 */
    ldp x4, x5, [x27], #16 /* CPTR_EL2, CPACR_EL1 */
    ldp x6, x7, [x27], #16 /* CPTR_EL3, MDCR_EL2 */
    msr elr_el3, x0
    msr spsr_el3, x1
    msr scr_el3, x2
    isb
    msr hcr_el2, x3
    msr cptr_el2, x4
    msr cpacr_el1, x5
    msr cptr_el3, x6
    msr mdcr_el2, x7
    isb
    mov x12, x25
    mov x11, #0
    eret

done:
    ldr x0, =ARRIVED
1:  ldaxr w2, [x0]
    add w2, w2, #1
    stlxr w3, w2, [x0]
    cbnz w3, 1b
    sev
    cbnz x26, sleep
    ldr x1, =IMAGE
    ldr x1, [x1]
2:  ldar w2, [x0]
    cmp w2, w1
    b.eq 3f
    wfe
    b 2b
3:  mov w0, #SEMIHOSTING_EXIT
    ldr x1, =exit
    hlt #0xf000
sleep:
    wfi
    b sleep
    .balign 8
exit:
    .quad 0x20026, 0

el3_sync:
    mrs x28, esr_el3
    ubfx x29, x28, #26, #6
    cmp x29, #EC_SMC
    b.eq 1f
    cmp x29, #EC_SMC32
    b.ne 2f
    mov x28, x11
1:  and x28, x28, #0xff
    cmp x28, #END
    b.eq next
    eret
2:  step_over 3

el2_sync:
    mrs x28, esr_el2
    ubfx x29, x28, #26, #6
    cmp x29, #EC_HVC
    b.eq 1f
    cmp x29, #EC_HVC32
    b.eq 1f
    cmp x29, #EC_SVC
    b.eq 1f
    step_over 2
1:  eret

el1_sync:
    mrs x28, esr_el1
    ubfx x29, x28, #26, #6
    cmp x29, #EC_SVC
    b.ne 1f
    and x28, x28, #0xff
    cmp x28, #END
    b.ne 2f
    smc #END
1:  step_over 1
2:  eret

    .ltorg
    vectors el3_vectors, el3_sync
    vectors el2_vectors, el2_sync
    vectors el1_vectors, el1_sync
