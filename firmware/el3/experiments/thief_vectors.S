/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's vectors, but that an FIQ from a level below goes to thief.c. */
#define VECTOR_BYTES 0x80
#define FIQ_FROM_BELOW 10 /* of the 16 vectors */
#define FRAME_BYTES 160

.section .vectors, "ax"
.balign 0x800
.global thief_vectors
thief_vectors:
    .set number, 0
    .rept 16
    .balign VECTOR_BYTES
    .if number == FIQ_FROM_BELOW
    b taken
    .else
    b vectors + VECTOR_BYTES * number
    .endif
    .set number, number + 1
    .endr

.section .text.entry, "ax"
taken:
    stp x0, x1, [sp, #-FRAME_BYTES]!
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x30, [sp, #144]
    bl thief_interrupt
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x9, [sp, #64]
    ldp x10, x11, [sp, #80]
    ldp x12, x13, [sp, #96]
    ldp x14, x15, [sp, #112]
    ldp x16, x17, [sp, #128]
    ldp x18, x30, [sp, #144]
    ldp x0, x1, [sp], #FRAME_BYTES
    eret
    dsb nsh
    isb
