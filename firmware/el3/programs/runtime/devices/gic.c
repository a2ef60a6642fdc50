/* SPDX-License-Identifier: BSD-3-Clause */
#include "gic.h"

#include <stdbool.h>

#include "core_table.h"
#include "machine.h"
#include "mmio.h"
#include "panic.h"

#define GICD ((uintptr_t)MACHINE_GICD)
#define GICC ((uintptr_t)MACHINE_GICC)
#define GICR ((uintptr_t)MACHINE_GICR)

#define GICD_CTLR (GICD + 0x0)
#define GICD_ISENABLER0 (GICD + 0x100)
#define GICD_ICACTIVER0 (GICD + 0x380)
#define GICD_IPRIORITYR(id) (GICD + 0x400 + (id))
#define GICD_SGIR (GICD + 0xf00)
#define GICC_CTLR (GICC + 0x0)
#define GICC_PMR (GICC + 0x4)
#define GICC_IAR (GICC + 0xc)
#define GICC_EOIR (GICC + 0x10)

#define GICR_STRIDE 0x20000UL
#define GICR_TYPER 0x8UL
#define GICR_TYPER_LAST (1U << 4)
#define GICR_SGI_BASE 0x10000UL
#define GICR_IGROUPR0 (GICR_SGI_BASE + 0x80)
#define GICR_ISENABLER0 (GICR_SGI_BASE + 0x100)
#define GICR_ICACTIVER0 (GICR_SGI_BASE + 0x380)
#define GICR_IPRIORITYR(id) (GICR_SGI_BASE + 0x400 + (id))

#define GICD_CTLR_ARE_NS (1U << 4)
#define GICD_CTLR_GROUP1_A (1U << 1)
#define GICD_CTLR_GROUP1 (1U << 0)

#define WAKE_SGI 0U
#define TIMER_PPI GIC_TIMER_PPI
#define FIRST_SPECIAL_ID 1020U
#define PRIORITY 0x80U
#define PRIORITY_MASK_ALL 0xffU

static uint32_t version;

uint32_t gic_version(void)
{
    return version;
}

static uint32_t probe_version(void)
{
    uint64_t features;

    __asm__ volatile("mrs %0, id_aa64pfr0_el1" : "=r"(features));
    return (features >> 24 & 0xf) != 0 ? 3 : 2;
}

void gic_init(void)
{
    version = probe_version();
    if (version == 2) {
        mmio_write32(GICD_CTLR, GICD_CTLR_GROUP1);
        return;
    }
    mmio_write32(GICD_CTLR, GICD_CTLR_ARE_NS | GICD_CTLR_GROUP1_A | GICD_CTLR_GROUP1);
}

static void core_init_v2(void)
{
    mmio_write8(GICD_IPRIORITYR(WAKE_SGI), PRIORITY);
    mmio_write8(GICD_IPRIORITYR(TIMER_PPI), PRIORITY);
    mmio_write32(GICD_ISENABLER0, 1U << WAKE_SGI | 1U << TIMER_PPI);
    mmio_write32(GICC_PMR, PRIORITY_MASK_ALL);
    mmio_write32(GICC_CTLR, 1);
}

static uintptr_t own_redistributor(void)
{
    uint64_t mpidr;

    __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
    for (uintptr_t frame = GICR;; frame += GICR_STRIDE) {
        uint32_t low = mmio_read32(frame + GICR_TYPER);

        if (mmio_read32(frame + GICR_TYPER + 4) == (uint32_t)(mpidr & 0xffffff)) {
            return frame;
        }
        if (low & GICR_TYPER_LAST) {
            panic("no redistributor for MPIDR %lx", mpidr);
        }
    }
}

static void core_init_v3(void)
{
    uintptr_t frame = own_redistributor();

    /* Ignored below an EL3 that owns the groups; needed where the machine has a single security state. */
    mmio_write32(frame + GICR_IGROUPR0, 0xffffffffU);
    mmio_write8(frame + GICR_IPRIORITYR(WAKE_SGI), PRIORITY);
    mmio_write8(frame + GICR_IPRIORITYR(TIMER_PPI), PRIORITY);
    mmio_write32(frame + GICR_ISENABLER0, 1U << WAKE_SGI | 1U << TIMER_PPI);
    if (current_el() == 2) {
        __asm__ volatile("msr S3_4_C12_C9_5, %0; isb" ::"r"(0x9UL)); /* ICC_SRE_EL2: SRE, Enable */
    }
    __asm__ volatile("msr S3_0_C12_C12_5, %0; isb" ::"r"(0x1UL)); /* ICC_SRE_EL1: SRE */
    __asm__ volatile("msr S3_0_C4_C6_0, %0" ::"r"((uint64_t)PRIORITY_MASK_ALL)); /* ICC_PMR_EL1 */
    __asm__ volatile("msr S3_0_C12_C12_7, %0; isb" ::"r"(0x1UL)); /* ICC_IGRPEN1_EL1 */
}

void gic_core_init(void)
{
    if (version == 2) {
        core_init_v2();
    } else {
        core_init_v3();
    }
}

uint32_t gic_acknowledge(void)
{
    uint64_t id;

    if (version == 2) {
        return mmio_read32(GICC_IAR);
    }
    __asm__ volatile("mrs %0, S3_0_C12_C12_0; dsb sy" : "=r"(id)::"memory"); /* ICC_IAR1_EL1 */
    return (uint32_t)id;
}

void gic_end(uint32_t acknowledged)
{
    if (version == 2) {
        mmio_write32(GICC_EOIR, acknowledged);
        return;
    }
    __asm__ volatile("msr S3_0_C12_C12_1, %0; isb" ::"r"((uint64_t)acknowledged) : "memory"); /* ICC_EOIR1_EL1 */
}

void gic_wait_interrupt(void)
{
    uint32_t acknowledged, id;

    /* Stores before the wait (a flag for the waker) must be visible before the core sleeps. */
    __asm__ volatile("dsb sy; wfi" ::: "memory");
    do {
        acknowledged = gic_acknowledge();
        id = gic_id(acknowledged);
        if (id >= FIRST_SPECIAL_ID) {
            return;
        }
        gic_end(acknowledged);
    } while (id != TIMER_PPI);
}

void gic_open(uint32_t id, uint8_t priority)
{
    if (version == 2) {
        mmio_write8(GICD_IPRIORITYR(id), priority);
        mmio_write32(GICD_ISENABLER0, 1U << id);
        return;
    }
    mmio_write8(own_redistributor() + GICR_IPRIORITYR(id), priority);
    mmio_write32(own_redistributor() + GICR_ISENABLER0, 1U << id);
}

void gic_forget_active(void)
{
    mmio_write32(version == 2 ? GICD_ICACTIVER0 : own_redistributor() + GICR_ICACTIVER0, 0xffffffffU);
}

void gic_wake_core(uint32_t index)
{
    gic_send(index, WAKE_SGI);
}

void gic_send(uint32_t index, uint32_t id)
{
    uint64_t mpidr = cores[index].mpidr;

    /* What the sender wrote must be visible before the target is woken to read it. */
    __asm__ volatile("dsb ish" ::: "memory");
    if (version == 2) {
        mmio_write32(GICD_SGIR, 1U << (16 + (mpidr & 0x7)) | id);
        return;
    }
    __asm__ volatile("msr S3_0_C12_C11_5, %0; isb" ::"r"((mpidr >> 8 & 0xff) << 16 | (uint64_t)id << 24 |
                                                         1UL << (mpidr & 0xf))); /* ICC_SGI1R_EL1 */
}
