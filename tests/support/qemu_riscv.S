# SPDX-License-Identifier: BSD-3-Clause
# Ends the machine with what a QEMU does: in bits 5 to 0 the cause with which VU reads sstatus, in bit 6 whether M can write mstatus.MPV.
.equ ENDING_DEVICE, 0x100000
.equ ENDS_WITH_CODE, 0x3333

    li a0, -1
    csrw pmpaddr0, a0
    li a0, 0x1f
    csrw pmpcfg0, a0
    li s0, 1
    slli s0, s0, 39
    csrs mstatus, s0
    csrr s1, mstatus
    srli s1, s1, 39
    andi s1, s1, 1
    csrc mstatus, s0
    la a0, told
    csrw mtvec, a0
    li a0, 0x1800
    csrc mstatus, a0
    li a0, 0x800
    csrs mstatus, a0
    la a0, in_hs
    csrw mepc, a0
    mret

in_hs:
    li a0, 0x80
    csrs hstatus, a0
    li a0, 0x100
    csrc sstatus, a0
    la a0, in_vu
    csrw sepc, a0
    sret

in_vu:
    csrr a0, sstatus

.balign 4
told:
    csrr a0, mcause
    slli s1, s1, 6
    or a0, a0, s1
    slli a0, a0, 16
    li a1, ENDS_WITH_CODE
    or a0, a0, a1
    li a1, ENDING_DEVICE
    sw a0, (a1)
here:
    j here
