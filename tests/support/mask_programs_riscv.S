/* SPDX-License-Identifier: BSD-3-Clause */
/* For mask_programs.py: the rounds of `table`, each in the mode, with the traps and the interrupts that it says. Whoever takes an interrupt
 * takes no other in this round. */
    .option norvc
    .text
    .global _start
_start:
    csrr t0, mhartid
    bnez t0, park
    la t1, vectored
    ld t1, 0(t1)
    la t0, vectors_m
    or t0, t0, t1
    csrw mtvec, t0
    la t0, vectors_s
    or t0, t0, t1
    csrw stvec, t0
    li t0, -1
    srli t0, t0, 10
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li s2, 0x2000000
    li s3, 0x2004000
    li s4, 0x200bff8
    li t0, -1
    sd t0, 0(s3)
    la s5, table
next:
    csrci mstatus, 10
    ld t0, 0(s5)
    beqz t0, 1f
    ld t1, 8(s5)
    ld t2, 16(s5)
    ld t3, 24(s5)
    ld t4, 32(s5)
    addi s5, s5, 40
    csrw mideleg, t2
    csrw medeleg, t4
    csrw mie, t3
    li a7, 0
    li t5, 0x1888
    csrc mstatus, t5
    csrs mstatus, t1
    csrw mepc, t0
    mret
1:  li t0, 0x100000
    li t1, 0x5555
    sw t1, 0(t0)
    j .
park:
    wfi
    j park

    .balign 256
vectors_m:
    .rept 64
    j trap_m
    .endr
trap_m:
    csrr s6, mcause
    bltz s6, 1f
    li s7, 77
    beq a7, s7, next
    csrr s6, mepc
    addi s6, s6, 4
    csrw mepc, s6
    mret
1:  sw zero, 0(s2)
    li s6, -1
    sd s6, 0(s3)
    li s6, 2
    csrc mip, s6
    csrw mie, zero
    mret

    .balign 256
vectors_s:
    .rept 64
    j trap_s
    .endr
trap_s:
    csrr s6, scause
    bltz s6, 1f
    li s7, 77
    beq a7, s7, 2f
    csrr s6, sepc
    addi s6, s6, 4
    csrw sepc, s6
    sret
1:  csrci sip, 2
    csrw sie, zero
    sret
2:  ecall
    j 2b
