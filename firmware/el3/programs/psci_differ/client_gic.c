/* SPDX-License-Identifier: BSD-3-Clause */
#include "client_gic.h"

#include "core.h"
#include "gic.h"
#include "machine.h"
#include "mmio.h"

#define ISENABLER 0x100U
#define ISPENDR 0x200U
#define ICPENDR 0x280U
#define ICACTIVER 0x380U
#define IPRIORITYR 0x400U
#define GICD_SGIR 0xf00U
#define GICD_CPENDSGIR 0xf10U
#define GICC_IAR 0x0cU
#define GICC_EOIR 0x10U
#define GICC_RPR 0x14U
#define HANDLED_SGI 1U
#define GICR_STRIDE 0x20000UL
#define GICR_SGI_FRAME 0x10000UL
#define ALL_CLIENT_SGIS ((1U << CLIENT_SGIS) - 2U)
#define IDLE_PRIORITY 0xffU
#define ALL_SENDERS 0xffffffffU

static uintptr_t own_frame(void)
{
    return gic_version() == 2 ? (uintptr_t)MACHINE_GICD : (uintptr_t)MACHINE_GICR + GICR_STRIDE * core_self() + GICR_SGI_FRAME;
}

static uint64_t running_priority(void)
{
    uint64_t running;

    if (gic_version() == 2) {
        return mmio_read32((uintptr_t)MACHINE_GICC + GICC_RPR);
    }
    __asm__ volatile("mrs %0, S3_0_C12_C11_3" : "=r"(running)); /* ICC_RPR_EL1 */
    return running;
}

/* Not by writing the active priorities, as kernels do: QEMU ignores what the normal world writes there. */
static void end_handlers(void)
{
    while (running_priority() != IDLE_PRIORITY) {
        if (gic_version() == 2) {
            mmio_write32((uintptr_t)MACHINE_GICC + GICC_EOIR, (uint32_t)(cores[core_self()].mpidr & 0x7) << 10 | HANDLED_SGI);
        } else {
            __asm__ volatile("msr S3_0_C12_C12_1, %0; isb" ::"r"((uint64_t)HANDLED_SGI) : "memory"); /* ICC_EOIR1_EL1 */
        }
    }
}

uint32_t client_gic_begin(void)
{
    uintptr_t frame = own_frame();
    uint32_t pending = mmio_read32(frame + ISPENDR) & ALL_CLIENT_SGIS;

    end_handlers();
    if (gic_version() == 2) {
        mmio_write32((uintptr_t)MACHINE_GICD + GICD_CPENDSGIR, ALL_SENDERS);
    } else {
        mmio_write32(frame + ICPENDR, ALL_CLIENT_SGIS);
    }
    mmio_write32(frame + ICACTIVER, ALL_CLIENT_SGIS);
    mmio_write32(frame + ISENABLER, ALL_CLIENT_SGIS);
    return pending;
}

void client_gic_set_priority(uint32_t sgi, uint32_t priority)
{
    mmio_write8(own_frame() + IPRIORITYR + sgi, priority);
}

void client_gic_send(uint32_t sgi, uint32_t target)
{
    uint64_t place = cores[target].mpidr & 0xf;

    __asm__ volatile("dsb ish" ::: "memory");
    if (gic_version() == 2) {
        mmio_write32((uintptr_t)MACHINE_GICD + GICD_SGIR, 1U << (16 + place) | sgi);
    } else {
        __asm__ volatile("msr S3_0_C12_C11_5, %0; isb" ::"r"((uint64_t)sgi << 24 | 1UL << place)); /* ICC_SGI1R_EL1 */
    }
    __asm__ volatile("dsb sy" ::: "memory");
}

void client_gic_acknowledge(void)
{
    uint64_t id;

    if (gic_version() == 2) {
        (void)mmio_read32((uintptr_t)MACHINE_GICC + GICC_IAR);
        return;
    }
    __asm__ volatile("mrs %0, S3_0_C12_C12_0; dsb sy" : "=r"(id)::"memory"); /* ICC_IAR1_EL1 */
}
