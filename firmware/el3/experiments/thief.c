/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For experiments, never for a product: a secure timer takes the calling core from the normal world again and again, without any call of it.
 * Linked in by LATLAB_THIEF; no other source knows of it. For GICv3. A core that goes down comes back without it.
 *
 * 0xC70000F1 THIEF: x1 = ns from one theft to the next, 0: no more of them; x2 = ns that each lasts, less than x1. x0 = 0, or -2. Its
 * thefts so far are in x1.
 */
#include "arch.h"
#include "gic.h"
#include "memory_map.h"
#include "monitor.h"
#include "sysregs.h"
#include "thief.h"

#define THIEF 0xC70000F1U
#define NS_PER_S 1000000000ULL
#define LONGEST_NS 10000000000ULL
#define INVALID_PARAMETERS ((uint64_t)-2)

#define SECURE_TIMER 29U
#define GICR_STRIDE 0x20000U
#define GICR_SGI_FRAME 0x10000U
#define TIMER_ENABLE 1U
#define SCR_FIQ (1ULL << 2)
#define ICC_IAR0_EL1 "s3_0_c12_c8_0"
#define ICC_EOIR0_EL1 "s3_0_c12_c8_1"
#define ICC_IGRPEN0_EL1 "s3_0_c12_c12_6"

struct theft {
    uint64_t period_ticks;
    uint64_t length_ticks;
    uint64_t thefts;
};

static struct theft of_core[MAX_CORES]; /* each core has its own */

bool __real_trng_call(uint32_t id, struct smc_frame *frame);
bool __wrap_trng_call(uint32_t id, struct smc_frame *frame);

static uint64_t ticks_of(uint64_t ns)
{
    return ns * arch_counter_hz() / NS_PER_S;
}

/* Group 0 goes to EL3 once SCR_EL3.FIQ is set; what it interrupts is the normal world alone, which cannot mask it. */
static void arm(uint64_t period_ns, uint64_t length_ns)
{
    const unsigned core = arch_core_index();
    const uintptr_t frame = platform_gicr + (uintptr_t)GICR_STRIDE * core + GICR_SGI_FRAME;

    SYSREG_WRITE("cntps_ctl_el1", 0);
    of_core[core] = (struct theft){ .period_ticks = ticks_of(period_ns), .length_ticks = ticks_of(length_ns) };
    if (period_ns == 0) {
        return;
    }
    mmio_write32(frame + GICD_IGROUPR, ~(1U << GIC_WAKE_SGI | 1U << SECURE_TIMER));
    mmio_write8(frame + GICD_IPRIORITYR + SECURE_TIMER, GIC_WAKE_PRIORITY);
    mmio_write32(frame + GICD_ISENABLER, 1U << SECURE_TIMER);
    SYSREG_WRITE("vbar_el3", (uintptr_t)thief_vectors);
    SYSREG_WRITE(ICC_IGRPEN0_EL1, 1);
    SYSREG_WRITE("scr_el3", SYSREG_READ("scr_el3") | SCR_FIQ);
    SYSREG_WRITE("cntps_cval_el1", arch_counter_ticks() + of_core[core].period_ticks);
    SYSREG_WRITE("cntps_ctl_el1", TIMER_ENABLE);
    isb();
}

void thief_interrupt(void)
{
    const uint64_t start = arch_counter_ticks();
    struct theft *own = &of_core[arch_core_index()];
    uint64_t number = SYSREG_READ(ICC_IAR0_EL1);

    while (arch_counter_ticks() - start < own->length_ticks) {
    }
    own->thefts++;
    SYSREG_WRITE("cntps_cval_el1", SYSREG_READ("cntps_cval_el1") + own->period_ticks);
    isb();
    SYSREG_WRITE(ICC_EOIR0_EL1, number);
}

bool __wrap_trng_call(uint32_t id, struct smc_frame *frame)
{
    if (id != THIEF) {
        return __real_trng_call(id, frame);
    }
    uint64_t period_ns = frame->x[1];
    uint64_t length_ns = frame->x[2];

    frame->x[1] = of_core[arch_core_index()].thefts;
    if (period_ns > LONGEST_NS || (period_ns != 0 && length_ns >= period_ns)) {
        frame->x[0] = INVALID_PARAMETERS;
        return true;
    }
    arm(period_ns, length_ns);
    frame->x[0] = 0;
    return true;
}
