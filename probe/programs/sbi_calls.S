/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SBI calls on every hart, for the probe: nothing is measured here. Entered in S-mode with a0 = hart. The two words at PARAMS say how many harts
 * there are and how often each call is made.
 */
#define PARAMS 0x80400000
#define EXT_BASE 0x10
#define EXT_TIME 0x54494d45
#define EXT_IPI 0x735049
#define EXT_HSM 0x48534d
#define EXT_SRST 0x53525354
#define HSM_START 0
#define HSM_STOP 1
#define HSM_STATUS 2
#define HSM_SUSPEND 3
#define STATE_STOPPED 1
#define TIMER_TICKS 20000
#define STACK 64
#define SIE_SSIE 2
#define SIE_STIE 32
#define SIP_SSIP 2

    .macro  sbi extension, function
    li  a7, \extension
    li  a6, \function
    ecall
    .endm

    .section .text.entry, "ax"
    .global _start
_start:
    mv  s0, a0                  /* this hart */
    li  t0, PARAMS
    lwu s1, 0(t0)               /* harts */
    lwu s2, 4(t0)               /* repetitions */
    csrw    sie, zero
1:  jal own_calls
    mv  s3, zero
2:  beq s3, s0, 3f
    bgeu    s3, s1, 4f
    jal one_hart
3:  addi    s3, s3, 1
    bltu    s3, s1, 2b
4:  addi    s2, s2, -1
    bnez    s2, 1b
    li  a0, 0
    li  a1, 0
    sbi EXT_SRST, 0
5:  wfi
    j   5b

/* What needs no other hart. */
own_calls:
    sbi EXT_BASE, 0
    li  a0, EXT_HSM
    sbi EXT_BASE, 3
    mv  a0, s0
    sbi EXT_HSM, HSM_STATUS
    csrr    a0, time
    li  t0, TIMER_TICKS
    add a0, a0, t0
    sbi EXT_TIME, 0
    li  t0, SIE_STIE
    csrw    sie, t0
    wfi
    csrw    sie, zero
    li  a0, -1
    sbi EXT_TIME, 0
    csrr    a0, time
    li  t0, TIMER_TICKS
    add a0, a0, t0
    sbi EXT_TIME, 0
    li  t0, SIE_STIE
    csrw    sie, t0
    li  a0, 0                   /* the default retentive suspend */
    li  a1, 0
    li  a2, 0
    sbi EXT_HSM, HSM_SUSPEND
    csrw    sie, zero
    li  a0, -1
    sbi EXT_TIME, 0
    ret

/* Starts hart s3, which sleeps; sends it an IPI; waits until it has stopped. */
one_hart:
    mv  s4, ra
    mv  a0, s3
    la  a1, other
    li  a2, 0
    sbi EXT_HSM, HSM_START
    jal nap
    li  a0, 1
    sll a0, a0, s3
    li  a1, 0
    sbi EXT_IPI, 0
1:  jal nap
    mv  a0, s3
    sbi EXT_HSM, HSM_STATUS
    li  t0, STATE_STOPPED
    bne a1, t0, 1b
    mv  ra, s4
    ret

/* Sleeps until the timer is due, so that the others run and nobody spins. */
nap:
    mv  s5, ra
    csrr    a0, time
    li  t0, TIMER_TICKS
    add a0, a0, t0
    sbi EXT_TIME, 0
    li  t0, SIE_STIE
    csrw    sie, t0
    wfi
    csrw    sie, zero
    li  a0, -1
    sbi EXT_TIME, 0
    mv  ra, s5
    ret

other:
    csrw    sip, zero
    li  t0, SIE_SSIE
    csrw    sie, t0
1:  wfi
    csrr    t0, sip
    andi    t0, t0, SIP_SSIP
    beqz    t0, 1b
    csrci   sip, SIP_SSIP
    csrw    sie, zero
    sbi EXT_HSM, HSM_STOP
2:  wfi
    j   2b
