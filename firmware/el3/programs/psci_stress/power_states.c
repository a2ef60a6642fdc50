/* SPDX-License-Identifier: BSD-3-Clause */
#include "power_states.h"

#include <stdbool.h>
#include <stddef.h>

#include "console.h"
#include "panic.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
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
static bool os_initiated;

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

#define LEVEL(power_state) ((power_state) >> 24 & 3U)
#define LAST_AT_SHIFT 12

void power_states_os_initiated(void)
{
    int64_t status = (int32_t)smc(PSCI_SET_SUSPEND_MODE, 1, 0, 0).x[0];

    if (status != PSCI_SUCCESS) {
        panic("SET_SUSPEND_MODE 1 returned %ld", status);
    }
    os_initiated = true;
    for (uint32_t i = 0; i < usable_count; i++) {
        usable[i] |= LEVEL(usable[i]) << LAST_AT_SHIFT;
    }
}

/* DENIED: others run. INVALID_PARAMETERS: another sleeps too lightly for it. */
bool power_states_may_be_refused(uint32_t power_state, int64_t status)
{
    return os_initiated && LEVEL(power_state) != 0 && (status == PSCI_DENIED || status == PSCI_INVALID_PARAMETERS);
}

uint32_t power_states_count(void)
{
    return usable_count;
}

uint32_t power_states_get(uint32_t index)
{
    return usable[index];
}
