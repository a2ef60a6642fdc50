/* SPDX-License-Identifier: BSD-3-Clause */
#include "power_states.h"

#include <stdatomic.h>

#include "core.h"
#include "marks.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
#include "tests.h"
#include "timer.h"

#define WAKE_US 5000UL
#define WATCH_US 40000UL
#define POLL_US 10000UL
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Recommended state ids first, then the original format, in which a powerdown state has none. The deepest first. */
static const uint32_t deep_states[] = { 0x02010222U, 0x01010022U, 0x02010000U, 0x01010000U, 0x00010002U, 0x00010000U };
static const uint32_t level_0_states[] = { 0x00010002U, 0x00010000U };

/* A search for the first state that is taken. Each try is marked, so that the way down is seen even where no way leads up again. */
struct search {
    enum test_number test;
    const uint32_t *states;
    uint32_t count;
    uint32_t taken;
};

static struct search level_0 = { .test = TEST_CPU_SUSP_SERIAL, .states = level_0_states, .count = COUNT_OF(level_0_states) };
static struct search deep = { .test = TEST_SUSP_DEEP_SERIAL, .states = deep_states, .count = COUNT_OF(deep_states) };
static _Atomic uint32_t trying, is_done;

static void search_states(uint64_t argument)
{
    struct search *search = (struct search *)argument;

    for (uint32_t i = 0; i < search->count && search->taken == 0; i++) {
        struct suspend_result r;

        atomic_store(&trying, search->states[i]);
        timer_start_at(timer_now() + timer_ticks_of_us(WAKE_US));
        mark(MARK_BEGIN, search->test, 0);
        r = psci_cpu_suspend(search->states[i], 0);
        timer_stop();
        if (r.status == PSCI_SUCCESS) {
            search->taken = search->states[i];
        }
    }
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

static bool search_on(uint32_t other, struct search *search)
{
    atomic_store(&is_done, 0);
    core_start(other, search_states, (uint64_t)search);
    if (!watch()) {
        return false;
    }
    core_wait_off(other, WATCH_US);
    return true;
}

/* The next core that is not the lead; `core_count` where there is none. */
static uint32_t next_other(uint32_t index)
{
    index++;
    return index == lead_index ? index + 1 : index;
}

/* One core is lost in `state`, so it is the way down that can be measured: the deep one by another core. */
static struct power_states never_woke(uint32_t lost, uint32_t state, bool is_deep)
{
    uint32_t other = next_other(lost);

    if (!is_deep && other < core_count) {
        (void)search_on(other, &deep);
    }
    return (struct power_states) { .support = SUSPEND_NEVER_WOKE, .lost_state = state };
}

struct power_states power_states_find(void)
{
    if ((int32_t)smc(PSCI_FEATURES, SMC64(PSCI_CPU_SUSPEND), 0, 0).x[0] < 0) {
        return (struct power_states) { .support = SUSPEND_NOT_SUPPORTED };
    }
    if (core_count == 1) {
        search_states((uint64_t)&level_0);
        search_states((uint64_t)&deep);
    } else {
        uint32_t other = lead_index == 0 ? 1 : 0;

        if (!search_on(other, &level_0)) {
            return never_woke(other, atomic_load(&trying), false);
        }
        if (!search_on(other, &deep)) {
            return never_woke(other, atomic_load(&trying), true);
        }
    }
    return (struct power_states) {
        .support = level_0.taken == 0 || deep.taken == 0 ? SUSPEND_NO_STATE : SUSPEND_WORKS,
        .level_0 = level_0.taken,
        .deep = deep.taken,
    };
}

const char *suspend_support_text(enum suspend_support support)
{
    static const char *const texts[] = { "works", "not-supported", "no-known-power-state", "never-woke" };

    return texts[support];
}
