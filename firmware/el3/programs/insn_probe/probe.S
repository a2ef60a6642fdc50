/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call of each kind, with nothing around it: what an instruction log of the emulator is counted on. The labels are
 * the instructions after the SMCs. GICv3, one level of sleep, core 1 as the other core.
 */
#include "../../platform/qemu_virt/memory_map.h"

#define PSCI_VERSION 0x84000000
#define SMCCC_ARCH_WORKAROUND_1 0x80008000
#define PSCI_CPU_OFF 0x84000002
#define PSCI_SYSTEM_OFF 0x84000008
#define PSCI_CPU_ON_64 0xc4000003
#define PSCI_AFFINITY_INFO_64 0xc4000004
#define PSCI_CPU_SUSPEND_64 0xc4000001
#define PMF_GET_TIMESTAMP_64 0xc7000020
#define PMF_ENTER_PSCI 0x41000400
#define POWER_DOWN_CORE 0x00010002
#define AFFINITY_OFF 1
#define TIMER_PPI 30
#define GICR_SGI_FRAME 0x10000
#define GICR_ISENABLER0 0x100
#define GICD_ENABLE_GRP1 0x12

.section .text, "ax"
.global _start
_start:
    ldr w0, =PSCI_VERSION
    smc #0
.global after_version
after_version:
    ldr w0, =SMCCC_ARCH_WORKAROUND_1
    smc #0
.global after_workaround
after_workaround:
    ldr w0, =PMF_GET_TIMESTAMP_64
    ldr w1, =PMF_ENTER_PSCI
    mov x2, #0
    mov x3, #0
    smc #0
.global after_pmf
after_pmf:
    ldr w0, =PSCI_CPU_ON_64
    mov x1, #1
    adr x2, second
    mov x3, #0
    smc #0
.global after_cpu_on
after_cpu_on:
1:  ldr w0, =PSCI_AFFINITY_INFO_64
    mov x1, #1
    mov x2, #0
    smc #0
.global after_affinity
after_affinity:
    cmp x0, #AFFINITY_OFF
    b.ne 1b

    /* A timer that has already fired, so that the sleep is as short as it can be. */
    mov x0, #1
    msr cntp_tval_el0, xzr
    msr cntp_ctl_el0, x0
    ldr x1, =(GICR_BASE + GICR_SGI_FRAME + GICR_ISENABLER0)
    mov w2, #(1 << TIMER_PPI)
    str w2, [x1]
    mov x2, #0xff
    msr s3_0_c4_c6_0, x2        /* ICC_PMR_EL1 */
    mov x2, #1
    msr s3_0_c12_c12_7, x2      /* ICC_IGRPEN1_EL1 */
    ldr x1, =GICD_BASE
    mov w2, #GICD_ENABLE_GRP1
    str w2, [x1]
    isb                         /* the interface is open before the call */
    ldr w0, =PSCI_CPU_SUSPEND_64
    ldr x1, =POWER_DOWN_CORE
    adr x2, after_suspend
    smc #0
.global after_suspend
after_suspend:
    ldr w0, =PSCI_SYSTEM_OFF
    smc #0

.global second
second:
    ldr w0, =PSCI_CPU_OFF
    smc #0
2:  b 2b
