/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way in which the program goes anywhere: with a pattern in every register that is no argument. */
    .syntax unified
    .thumb
    .fpu    fpv5-sp-d16

#define SYST_CSR 0xE000E010
#define ARGUMENTS 16
#define R12       48
#define APSR      52
#define RESULTS   56 /* bytes of struct registers */

    .text
    .global call_with_patterns
    .thumb_func
    .type   call_with_patterns, %function
call_with_patterns:
    push    {r0, r4-r11, lr}
    sub     sp, #RESULTS
    ldr     r12, [r0, #R12]
    ldr     r6, [r0, #APSR]
    adr.w   lr, 1f
    orr     lr, #1
    ldr     r5, =SYST_CSR
    ldmia   r0, {r0-r3}
    str     r6, [r5]
    ldr     r4, =0xA5A50004
    add     r5, r4, #1
    add     r6, r4, #2
    add     r7, r4, #3
    add     r8, r4, #4
    add     r9, r4, #5
    add     r10, r4, #6
    add     r11, r4, #7
    bx      r12
    .align  2
1:  stmia   sp, {r0-r12}
    mrs     r0, apsr
    str     r0, [sp, #APSR]
    ldr     r0, [sp, #RESULTS]
    mov     r1, sp
    movs    r2, #(RESULTS / 4)
2:  ldr     r3, [r1], #4
    str     r3, [r0], #4
    subs    r2, #1
    bne     2b
    add     sp, #RESULTS
    pop     {r0, r4-r11, pc}
    .ltorg

/* Patterns in s0 to s31 around the same. */
    .global call_with_floats
    .thumb_func
    .type   call_with_floats, %function
call_with_floats:
    push    {r4, lr}
    mov     r4, r1
    vldmia  r1, {s0-s31}
    bl      call_with_patterns
    vstmia  r4, {s0-s31}
    pop     {r4, pc}

/* Behind an interrupt of secure code the processor has cleared what a handler must not see. */
    .global on_systick
    .thumb_func
    .type   on_systick, %function
on_systick:
    push    {r0-r12, lr}
    mov     r0, sp
    mov     r1, lr
    bl      handle_systick
    add     sp, #16
    pop     {r4-r12, pc}

    .global on_svc
    .thumb_func
    .type   on_svc, %function
on_svc:
    push    {r4, lr}
    bl      handle_svc
    pop     {r4, pc}

    .macro  address_of name
    .global address_of_\name
    .thumb_func
    .type   address_of_\name, %function
address_of_\name:
    ldr     r0, 3f
2:  add     r0, pc
    orr     r0, r0, #1
    bx      lr
    .align  2
3:  .word   \name - (2b + 4)
    .endm

    address_of on_fault
    address_of on_systick
    address_of on_svc
