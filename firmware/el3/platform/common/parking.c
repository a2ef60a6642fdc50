/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For a machine without a power controller. A core that is off waits in WFI with nothing but the secure wake SGI
 * enabled, one that is suspended waits for any interrupt; both then enter through the warm-boot path as out of reset.
 */
#include "arch.h"
#include "arch_el3.h"
#include "gic.h"
#include "meet.h"
#include "memory_map.h"
#include "parking.h"

/* Set by CPU_ON's caller, taken back by the core as it leaves: it may come before the core sleeps. */
static struct arch_shared wanted_on[MAX_CORES];

/* Each core's own, so that no register that the normal world can write decides where it comes from. */
static bool is_parked[MAX_CORES];

static const struct gic *gic;

/* The word decides, the SGI only ends a sleep: one that comes long after the word, to a core in whatever state, changes nothing. */
static bool core_on(unsigned core)
{
    arch_shared_store(&wanted_on[core], 1);
    ARCH_MEET_TELLS();
    gic->send_wake(core);
    return true;
}

static void core_prepare_down(unsigned core, bool for_off)
{
    if (for_off) {
        is_parked[core] = true;
        gic->prepare_off(core);
    }
}

/* Between two sleeps first forget, then look: an SGI that is forgotten was sent after its word was written, a later one ends the sleep. */
static inline __attribute__((noreturn, always_inline)) void sleep_until_wanted(unsigned core)
{
    ARCH_MEET_LEAVES();
    while (arch_shared_load(&wanted_on[core]) == 0) {
        arch_interrupt_wait();
        gic->forget_wakes(core);
    }
    arch_shared_store(&wanted_on[core], 0);
    arch_warm_entry();
}

static void __attribute__((noreturn)) power_down(unsigned core, bool for_off)
{
    if (for_off) {
        sleep_until_wanted(core);
    }
    arch_sleep();
}

static void __attribute__((noinline)) core_up_from_off(unsigned core)
{
    is_parked[core] = false;
    gic->core_up();
    gic->end_off(core);
    arch_timers_off();
}

static void core_up(unsigned core)
{
    if (is_parked[core]) {
        core_up_from_off(core);
        return;
    }
    gic->core_up();
}

void parking_park(unsigned core)
{
    gic->init_core(core);
    core_prepare_down(core, true);
    arch_cache_power_down(0);
    power_down(core, true);
}

void parking_init(struct psci_platform *platform)
{
    gic = arch_has_gicv3() ? &gic_v3 : &gic_v2;
    gic->init_distributor();
    gic->init_core(0);
    platform->core_on = core_on;
    platform->core_prepare_down = core_prepare_down;
    platform->power_down = power_down;
    platform->core_up = core_up;
}
