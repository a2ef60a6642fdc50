/* SPDX-License-Identifier: BSD-3-Clause */
/* STAT_COUNT and STAT_RESIDENCY. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "core.h"
#include "format.h"
#include "others.h"
#include "psci.h"
#include "suspend.h"
#include "timer.h"

#define SLEEP_US 5000UL
#define LEAST_RESIDENCY_US 1000
#define UNKNOWN_CORE 0xff
#define US_PER_S 1000000UL

struct stat {
    int64_t count;
    int64_t residency_us;
};

static struct stat stat_of(uint64_t mpidr, uint32_t power_state)
{
    return (struct stat) {
        .count = call(SMC64(PSCI_STAT_COUNT), mpidr, power_state, 0),
        .residency_us = call(SMC64(PSCI_STAT_RESIDENCY), mpidr, power_state, 0),
    };
}

/* Returns how long the call took. */
static int64_t suspend_us(uint32_t power_state)
{
    uint64_t start = timer_now();

    timer_start_at(start + timer_ticks_of_us(SLEEP_US));
    psci_cpu_suspend(power_state, 0);
    timer_stop();
    return (int64_t)((timer_now() - start) * US_PER_S / timer_frequency_hz() + 1);
}

static void check_state(uint32_t power_state)
{
    uint64_t own = cores[lead_index].mpidr;
    struct stat before = stat_of(own, power_state);
    int64_t elapsed_us = suspend_us(power_state);
    struct stat after = stat_of(own, power_state);
    int64_t grown_us = after.residency_us - before.residency_us;
    char name[128];

    format_text(name, sizeof(name), "STAT_COUNT of %08x counts one more after a suspend", power_state);
    check_equal(name, before.count + 1, after.count);
    format_text(name, sizeof(name), "STAT_RESIDENCY of %08x grows by the time of a suspend", power_state);
    check_true(name, grown_us >= LEAST_RESIDENCY_US && grown_us <= elapsed_us, "between 1000 us and the time that the call took",
               grown_us);
    format_text(name, sizeof(name), "STAT_COUNT (32-bit) of %08x gives the same count", power_state);
    check_call(name, after.count, PSCI_STAT_COUNT, own, power_state, 0);
}

static void check_demotion(void)
{
    uint64_t own = cores[lead_index].mpidr;
    uint32_t other = other_core_in_cluster();
    int64_t core_before, cluster_before;

    if (other == NO_CORE) {
        return;
    }
    other_start(other);
    core_before = stat_of(own, POWER_STATE_DOWN_0).count;
    cluster_before = stat_of(own, POWER_STATE_DOWN_1).count;
    suspend_us(POWER_STATE_DOWN_1);
    check_equal("A cluster powerdown beside a running core counts as a core powerdown", core_before + 1,
                stat_of(own, POWER_STATE_DOWN_0).count);
    check_equal("A cluster powerdown beside a running core does not count as a cluster powerdown", cluster_before,
                stat_of(own, POWER_STATE_DOWN_1).count);
    other_stop(other);
}

/* The specification does not say whether a wrong argument gives 0 or an error. */
static void check_bad_arguments(const char *what, uint32_t function)
{
    uint64_t own = cores[lead_index].mpidr;
    int64_t got = call(function, UNKNOWN_CORE, POWER_STATE_DOWN_0, 0);
    char name[128];

    format_text(name, sizeof(name), "%s of an unknown core is 0 or INVALID_PARAMETERS", what);
    check_true(name, got == 0 || got == PSCI_INVALID_PARAMETERS, "0 or -2", got);
    got = call(function, own, 0x00010003, 0);
    format_text(name, sizeof(name), "%s of an unknown power state is 0 or INVALID_PARAMETERS", what);
    check_true(name, got == 0 || got == PSCI_INVALID_PARAMETERS, "0 or -2", got);
}

void cases_stat(void)
{
    static const uint32_t down[] = { POWER_STATE_DOWN_0, POWER_STATE_DOWN_1, POWER_STATE_DOWN_2 };

    check_state(POWER_STATE_STANDBY_0);
    for (size_t level = 0; level < board.levels; level++) {
        check_state(down[level]);
    }
    if (board.levels > 1) {
        check_demotion();
    }
    check_bad_arguments("STAT_COUNT", PSCI_STAT_COUNT);
    check_bad_arguments("STAT_COUNT (64-bit)", SMC64(PSCI_STAT_COUNT));
    check_bad_arguments("STAT_RESIDENCY", PSCI_STAT_RESIDENCY);
    check_bad_arguments("STAT_RESIDENCY (64-bit)", SMC64(PSCI_STAT_RESIDENCY));
}
