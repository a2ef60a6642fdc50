/* SPDX-License-Identifier: BSD-3-Clause */
/* Every hart runs the generated pieces one after another. A trap steps over what was trapped, or goes on at s9 in the world that took it.
 * gp: memory of this hart; s1: the UART; s9 and s10: the handlers'. No instruction is compressed, and what is in front of `begin` runs
 * straight through. */
.equ FINISHER, 0x100000
.equ FINISHED, 0x5555
.equ UART, 0x10000000

.macro handler name, epc, back, pad
    .balign 4
\name:
    .rept \pad
    nop
    .endr
    bnez s9, 1f
    csrr s10, \epc
    addi s10, s10, 4
    csrw \epc, s10
    \back
1:  mv s10, s9
    li s9, 0
    jr s10
.endm

.text
.option norvc
.option norelax
    csrr t0, mhartid
    slli t0, t0, 12
    la gp, scratch
    add gp, gp, t0
    li s1, UART
    li s9, 0
    la t0, m_trap
    csrw mtvec, t0
    la t0, s_trap
    csrw stvec, t0
    csrwi mideleg, 2
    csrwi mie, 2
.if HAS_H
    la t0, vs_trap
    csrw vstvec, t0
    csrwi hideleg, 4
    csrwi vsie, 2
.endif
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    j begin

    handler m_trap, mepc, mret, M_PAD
    handler s_trap, sepc, sret, S_PAD
    handler vs_trap, sepc, sret, VS_PAD

done:
    la t0, arrived
    li t1, 1
    amoadd.w zero, t1, (t0)
    csrr t2, mhartid
    bnez t2, 2f
    li t1, HARTS
1:  lw t2, (t0)
    bne t1, t2, 1b
    li t0, FINISHER
    li t1, FINISHED
    sw t1, (t0)
2:  j 2b

    .balign 64
arrived:
    .word 0
    .balign 4096
scratch:
    .skip 4096 * HARTS

    .balign 4096
begin:
