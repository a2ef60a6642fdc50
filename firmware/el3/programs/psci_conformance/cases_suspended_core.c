/* SPDX-License-Identifier: BSD-3-Clause */
/* What the others see of a core that is in CPU_SUSPEND, and how they wake it. */
#include "cases.h"

#include <stdint.h>

#include "board.h"
#include "check.h"
#include "core.h"
#include "format.h"
#include "gic.h"
#include "others.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"

#define HW_OFF 1
#define HW_STANDBY 2
#define FALL_ASLEEP_US 5000UL

static void check_suspended(uint32_t index, const char *state, uint32_t power_state, int64_t hw_state)
{
    uint64_t mpidr = cores[index].mpidr;
    char name[128];

    other_start_suspended(index, power_state, NO_TIMER);
    timer_sleep_us(FALL_ASLEEP_US);
    format_text(name, sizeof(name), "A core in %s sleeps until it is interrupted", state);
    check_equal(name, NOT_BACK, other_suspend_status());
    format_text(name, sizeof(name), "AFFINITY_INFO of a core in %s is ON", state);
    check_call(name, AFFINITY_ON, SMC64(PSCI_AFFINITY_INFO), mpidr, 0, 0);
    format_text(name, sizeof(name), "NODE_HW_STATE of a core in %s is its hardware's", state);
    check_call(name, hw_state, SMC64(PSCI_NODE_HW_STATE), mpidr, 0, 0);
    format_text(name, sizeof(name), "CPU_ON of a core in %s returns ALREADY_ON", state);
    check_refused(name, PSCI_ALREADY_ON, SMC64(PSCI_CPU_ON), mpidr, (uint64_t)payload_secondary, 0);
    gic_wake_core(index);
    timer_sleep_us(FALL_ASLEEP_US);
    format_text(name, sizeof(name), "A core in %s wakes up when another core interrupts it", state);
    check_equal(name, PSCI_SUCCESS, other_suspend_status());
    other_stop(index);
}

void cases_suspended_core(void)
{
    uint32_t other = other_core();

    if (other == NO_CORE) {
        return;
    }
    check_suspended(other, "standby", POWER_STATE_STANDBY_0, HW_STANDBY);
    check_suspended(other, "powerdown", POWER_STATE_DOWN_0, HW_OFF);
    if (board.levels > 2) {
        check_suspended(other, "system powerdown", POWER_STATE_DOWN_2, HW_OFF);
    }
}
