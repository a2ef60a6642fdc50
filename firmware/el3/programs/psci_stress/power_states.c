/* SPDX-License-Identifier: BSD-3-Clause */
#include "power_states.h"

#include <stdbool.h>
#include <stddef.h>

#include "console.h"
#include "panic.h"
#include "psci.h"
#include "timer.h"

#define PROBE_SLEEP_US 200UL
#define REQUIRED 4

static const uint32_t known[] = {
    POWER_STATE_STANDBY_0,
    POWER_STATE_DOWN_0,
    POWER_STATE_DOWN_1,
    POWER_STATE_DOWN_2,
    0x01000011, /* core and cluster standby */
    0x01010012, /* core down, cluster retention */
    0x02000111, /* standby up to the system */
    0x02010112, /* core down, cluster and system retention */
    0x02010122, /* core and cluster down, system retention */
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

static uint32_t usable[KNOWN];
static uint32_t usable_count;

static bool accepted(uint32_t power_state)
{
    int64_t status;

    timer_start_at(timer_now() + timer_ticks_of_us(PROBE_SLEEP_US));
    status = psci_cpu_suspend(power_state, 0).status;
    timer_stop();
    if (status != PSCI_SUCCESS && status != PSCI_INVALID_PARAMETERS) {
        panic("CPU_SUSPEND %08x returned %ld", power_state, status);
    }
    return status == PSCI_SUCCESS;
}

void power_states_probe(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (accepted(known[i])) {
            usable[usable_count++] = known[i];
        } else if (i < REQUIRED) {
            panic("CPU_SUSPEND %08x is not valid in this firmware", known[i]);
        } else {
            console_line("power_state=%08x not offered by the firmware", known[i]);
        }
    }
}

uint32_t power_states_count(void)
{
    return usable_count;
}

uint32_t power_states_get(uint32_t index)
{
    return usable[index];
}
