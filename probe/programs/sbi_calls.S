/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SBI calls on every hart, for the probe: nothing is measured here. Entered in S-mode with a0 = hart. The two words at PARAMS say how many harts
 * there are and how often each call is made.
 */
#define PARAMS 0x80400000
#define STARTED 0x80400010      /* how many other harts are up */
#define KEPT 0x80400020         /* this hart's registers while the system is suspended */
#define TEXT 0x80400060
#define EXT_BASE 0x10
#define EXT_TIME 0x54494d45
#define EXT_IPI 0x735049
#define EXT_RFENCE 0x52464e43
#define EXT_HSM 0x48534d
#define EXT_SRST 0x53525354
#define EXT_PMU 0x504d55
#define EXT_DBCN 0x4442434e
#define EXT_SUSP 0x53555350
#define EXT_CPPC 0x43505043
#define EXT_NACL 0x4e41434c
#define EXT_STA 0x535441
#define EXT_SSE 0x535345
#define EXT_FWFT 0x46574654
#define EXT_DBTR 0x44425452
#define EXT_MPXY 0x4d505859
#define HSM_START 0
#define HSM_STOP 1
#define HSM_STATUS 2
#define HSM_SUSPEND 3
#define RFENCE_I 0
#define RFENCE_SFENCE 1
#define RFENCE_SFENCE_ASID 2
#define RFENCE_HFENCE_GVMA_VMID 3
#define RFENCE_HFENCE_GVMA 4
#define RFENCE_HFENCE_VVMA_ASID 5
#define RFENCE_HFENCE_VVMA 6
#define PMU_COUNTERS 0
#define PMU_INFO 1
#define PMU_CONFIG 2
#define PMU_START 3
#define PMU_STOP 4
#define PMU_FW_READ 5
#define PMU_FW_EVENT 0xf0005    /* IPIs sent */
#define PMU_CLEAR 2             /* of PMU_CONFIG: and do not start it */
#define PMU_RESET 1             /* of PMU_STOP: free it */
#define SSE_REGISTER 2
#define SSE_UNREGISTER 3
#define SSE_ENABLE 4
#define SSE_DISABLE 5
#define SSE_COMPLETE 6
#define SSE_INJECT 7
#define SSE_UNMASK 8
#define SSE_MASK 9
#define SSE_SOFTWARE 0xffff0000 /* the event that software injects into its own hart */
#define STATE_STARTED 0
#define STATE_STOPPED 1
#define TIMER_TICKS 20000
#define TURN_TICKS 100          /* for each hart */
#define FENCE_TICKS 1600
#define PATIENCE 100            /* naps until a hart that does not come, or does not stop, is given up */
#define SIE_SSIE 2
#define SIE_STIE 32
#define SIP_SSIP 2
#define PAGE 4096

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
    jal optional_calls
    jal together
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

/* What needs no other hart and every firmware has. */
own_calls:
    sbi EXT_BASE, 0
    sbi EXT_BASE, 1
    sbi EXT_BASE, 2
    li  a0, EXT_HSM
    sbi EXT_BASE, 3
    sbi EXT_BASE, 4
    sbi EXT_BASE, 5
    sbi EXT_BASE, 6
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

/* What a firmware may lack: it answers so, and that is counted as well. */
optional_calls:
    mv  s4, ra
    sbi EXT_PMU, PMU_COUNTERS
    mv  s6, a1
    addi    a0, s6, -1          /* those of the firmware stand behind the others */
    sbi EXT_PMU, PMU_INFO
    li  a0, 0
    li  a1, -1
    li  t0, 64
    bgeu    s6, t0, 1f
    li  a1, 1
    sll a1, a1, s6
    addi    a1, a1, -1
1:  li  a2, PMU_CLEAR
    li  a3, PMU_FW_EVENT
    li  a4, 0
    sbi EXT_PMU, PMU_CONFIG
    bnez    a0, 2f
    mv  s7, a1
    mv  a0, s7
    li  a1, 1
    li  a2, 0
    li  a3, 0
    sbi EXT_PMU, PMU_START
    mv  a0, s7
    sbi EXT_PMU, PMU_FW_READ
    mv  a0, s7
    li  a1, 1
    li  a2, PMU_RESET
    sbi EXT_PMU, PMU_STOP
2:  li  t0, TEXT
    li  t1, 0x0a2e              /* a full stop and a new line */
    sh  t1, 0(t0)
    li  a0, 2
    mv  a1, t0
    li  a2, 0
    sbi EXT_DBCN, 0
    li  a0, 1
    li  a1, TEXT
    li  a2, 0
    sbi EXT_DBCN, 1
    li  a0, 0x0a
    sbi EXT_DBCN, 2
    li  a0, 0                   /* who serves misaligned accesses */
    sbi EXT_FWFT, 1
    li  a0, 0                   /* as it was */
    li  a2, 0
    sbi EXT_FWFT, 0
    jal own_event
    li  a0, 0
    sbi EXT_NACL, 0
    li  a0, -1
    li  a1, -1
    li  a2, 0
    sbi EXT_STA, 0
    li  a0, 0
    sbi EXT_CPPC, 0
    li  a0, 0
    li  a1, 0
    sbi EXT_DBTR, 0
    sbi EXT_MPXY, 0
    li  a0, 0x7fffffff          /* a reset of no kind */
    li  a1, 0
    sbi EXT_SRST, 0
    jal suspend_system
    mv  ra, s4
    ret

/* An event of the supervisor's own, from its registration to its end. What answers at once that it is not there is asked nothing more. */
own_event:
    li  a0, SSE_SOFTWARE
    la  a1, handler
    li  a2, 0
    sbi EXT_SSE, SSE_REGISTER
    bnez    a0, 1f
    sbi EXT_SSE, SSE_UNMASK
    li  a0, SSE_SOFTWARE
    sbi EXT_SSE, SSE_ENABLE
    li  a0, SSE_SOFTWARE
    mv  a1, s0
    sbi EXT_SSE, SSE_INJECT
    li  a0, SSE_SOFTWARE
    sbi EXT_SSE, SSE_DISABLE
    li  a0, SSE_SOFTWARE
    sbi EXT_SSE, SSE_UNREGISTER
    sbi EXT_SSE, SSE_MASK
1:  ret

handler:
    sbi EXT_SSE, SSE_COMPLETE

/* To RAM, and back by the timer where the firmware can do it. */
suspend_system:
    li  t0, KEPT
    sd  s0, 0(t0)
    sd  s1, 8(t0)
    sd  s2, 16(t0)
    sd  s4, 24(t0)
    sd  ra, 32(t0)
    csrr    a0, time
    li  t0, TIMER_TICKS
    add a0, a0, t0
    sbi EXT_TIME, 0
    li  t0, SIE_STIE
    csrw    sie, t0
    li  a0, 0
    la  a1, 1f
    li  a2, 0
    sbi EXT_SUSP, 0
1:  csrw    sie, zero
    li  a0, -1
    sbi EXT_TIME, 0
    li  t0, KEPT
    ld  s0, 0(t0)
    ld  s1, 8(t0)
    ld  s2, 16(t0)
    ld  s4, 24(t0)
    ld  ra, 32(t0)
    ret

/* All harts are up that the firmware starts: fences on 1 to all of them, then one IPI to all the others, which stop. Where one does not come there
 * are no fences. */
together:
    mv  s4, ra
    li  s8, STARTED
    sd  zero, 0(s8)
    mv  s6, zero                /* how many, and which */
    mv  s7, zero
    mv  s3, zero
1:  beq s3, s0, 2f
    mv  a0, s3
    la  a1, other
    li  a2, 1                   /* and it counts itself */
    sbi EXT_HSM, HSM_START
    bnez    a0, 2f
    addi    s6, s6, 1
    jal add_hart
2:  addi    s3, s3, 1
    bltu    s3, s1, 1b
    mv  s9, s7
    li  s11, PATIENCE
3:  ld  t0, 0(s8)
    bgeu    t0, s6, 4f
    beqz    s11, 7f
    addi    s11, s11, -1
    jal nap
    j   3b
4:  mv  s7, zero                /* the harts that fences go to, this one last */
    mv  s3, zero
5:  srl t0, s9, s3
    andi    t0, t0, 1
    beqz    t0, 6f
    jal add_hart
    jal fences
6:  addi    s3, s3, 1
    bltu    s3, s1, 5b
    mv  s3, s0
    jal add_hart
    jal fences
    jal guest_fences
7:  li  a0, -1
    sbi EXT_TIME, 0
    beqz    s9, 10f
    mv  a0, s9
    li  a1, 0
    sbi EXT_IPI, 0
    mv  s3, zero
8:  srl t0, s9, s3
    andi    t0, t0, 1
    beqz    t0, 9f
    jal until_stopped
9:  addi    s3, s3, 1
    bltu    s3, s1, 8b
10: mv  ra, s4
    ret

add_hart:
    li  t0, 1
    sll t0, t0, s3
    or  s7, s7, t0
    ret

    .macro  fence function, size, last=0
    csrr    a0, time
    addi    a0, a0, FENCE_TICKS
    sbi EXT_TIME, 0
    mv  a0, s7
    li  a1, 0
    li  a2, PARAMS
    li  a3, \size
    li  a4, \last
    sbi EXT_RFENCE, \function
    .endm

fences:
    fence   RFENCE_I, 0
    fence   RFENCE_SFENCE, PAGE
    fence   RFENCE_SFENCE, 64 * PAGE
    fence   RFENCE_SFENCE, -1
    fence   RFENCE_SFENCE_ASID, PAGE
    ret

guest_fences:
    fence   RFENCE_HFENCE_GVMA_VMID, PAGE
    fence   RFENCE_HFENCE_GVMA, PAGE
    fence   RFENCE_HFENCE_VVMA_ASID, PAGE
    fence   RFENCE_HFENCE_VVMA, PAGE
    ret

/* Starts hart s3, which sleeps; sends it an IPI; waits until it has stopped. Nothing where it is not started. */
one_hart:
    mv  s4, ra
    mv  a0, s3
    la  a1, other
    li  a2, 0
    sbi EXT_HSM, HSM_START
    bnez    a0, 1f
    jal nap
    li  a0, 1
    sll a0, a0, s3
    li  a1, 0
    sbi EXT_IPI, 0
    jal until_stopped
1:  mv  ra, s4
    ret

until_stopped:
    mv  s10, ra
    li  s11, PATIENCE
1:  jal nap
    mv  a0, s3
    sbi EXT_HSM, HSM_STATUS
    li  t0, STATE_STOPPED
    beq a1, t0, 2f
    addi    s11, s11, -1
    bnez    s11, 1b
2:  mv  ra, s10
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

/* Where the other harts begin, with a1 = 1 where fences go to them: they count themselves, and wake up often, so that turns are short on an
 * instruction clock and a fence's caller waits little for theirs. An IPI stops them. */
other:
    mv  s11, a1
    csrw    sip, zero
    li  t0, SIE_SSIE
    csrw    sie, t0
    li  t0, STARTED
    amoadd.d    zero, s11, (t0)
    beqz    s11, 2f
    li  t0, SIE_SSIE | SIE_STIE
    csrw    sie, t0
    li  t0, PARAMS
    lwu t0, 0(t0)
    li  t1, TURN_TICKS
    mul s10, t0, t1
1:  csrr    a0, time
    add a0, a0, s10
    sbi EXT_TIME, 0
2:  wfi
    csrr    t0, sip
    andi    t0, t0, SIP_SSIP
    bnez    t0, 3f
    beqz    s11, 2b
    j   1b
3:  csrci   sip, SIP_SSIP
    csrw    sie, zero
    beqz    s11, 4f
    li  a0, -1
    sbi EXT_TIME, 0
4:  sbi EXT_HSM, HSM_STOP
5:  wfi
    j   5b
