/* SPDX-License-Identifier: BSD-3-Clause */
#include "power_states.h"

#include <stdatomic.h>

#include "core.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"

#define WAKE_US 5000UL
#define WATCH_US 40000UL
#define POLL_US 10000UL
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Recommended state ids first, then the original format, in which a powerdown state has none. The deepest first. */
static const uint32_t deep_states[] = { 0x02010222U, 0x01010022U, 0x02010000U, 0x01010000U, 0x00010002U, 0x00010000U };
static const uint32_t level_0_states[] = { 0x00010002U, 0x00010000U };

static struct power_states found;
static _Atomic uint32_t trying, is_done;

static uint32_t first_taken(const uint32_t *states, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct suspend_result r;

        atomic_store(&trying, states[i]);
        timer_start_at(timer_now() + timer_ticks_of_us(WAKE_US));
        r = psci_cpu_suspend(states[i], 0);
        timer_stop();
        if (r.status == PSCI_SUCCESS) {
            return states[i];
        }
    }
    return 0;
}

static void try_states(uint64_t argument)
{
    (void)argument;
    found.level_0 = first_taken(level_0_states, COUNT_OF(level_0_states));
    found.deep = first_taken(deep_states, COUNT_OF(deep_states));
    atomic_store(&is_done, 1);
}

/* True when the other core is done, false when it does not come back. */
static bool watch(void)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(WATCH_US);

    while (!atomic_load(&is_done)) {
        if (timer_now() > deadline) {
            return false;
        }
        timer_sleep_us(POLL_US);
    }
    return true;
}

struct power_states power_states_find(void)
{
    if ((int32_t)smc(PSCI_FEATURES, SMC64(PSCI_CPU_SUSPEND), 0, 0).x[0] < 0) {
        found.support = SUSPEND_NOT_SUPPORTED;
        return found;
    }
    if (core_count == 1) {
        try_states(0);
    } else {
        uint32_t other = lead_index == 0 ? 1 : 0;

        core_start(other, try_states, 0);
        if (!watch()) {
            return (struct power_states) { .support = SUSPEND_NEVER_WOKE, .lost_state = atomic_load(&trying) };
        }
        core_wait_off(other, WATCH_US);
    }
    found.support = found.level_0 == 0 || found.deep == 0 ? SUSPEND_NO_STATE : SUSPEND_WORKS;
    return found;
}

const char *suspend_support_text(enum suspend_support support)
{
    static const char *const texts[] = { "works", "not-supported", "no-known-power-state", "never-woke" };

    return texts[support];
}
