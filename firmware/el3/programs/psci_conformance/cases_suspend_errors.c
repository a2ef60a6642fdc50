/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPU_SUSPEND and CPU_DEFAULT_SUSPEND refuse. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "format.h"
#include "psci.h"
#include "smc.h"

static const struct named_state bad_states[] = {
    { "0", 0 },
    { "reserved bit 17", POWER_STATE_DOWN_0 | 1U << 17 },
    { "reserved bit 23", POWER_STATE_DOWN_0 | 1U << 23 },
    { "reserved bit 26", POWER_STATE_DOWN_0 | 1U << 26 },
    { "reserved bit 31", POWER_STATE_DOWN_0 | 1U << 31 },
    { "a reserved bit beside standby", POWER_STATE_STANDBY_0 | 1U << 20 },
    { "a level that does not exist", 0x03012222 },
    { "a state id that is not defined", 0x00010003 },
    { "a state id of all ones", 0x0001ffff },
    { "state id 0 beside powerdown", 0x00010000 },
    { "a powerdown state id beside type standby", 0x00000002 },
    { "a standby state id beside type powerdown", 0x00010001 },
    { "a cluster powerdown above a core that only stands by", 0x01010021 },
    { "a cluster powerdown above a core that runs", 0x01010020 },
    { "a system powerdown above a cluster in retention", 0x02010212 },
    { "a cluster state id at level 0", 0x00010022 },
    { "a cluster level without a state id for it", 0x01010002 },
};

static void check_state(const char *state, uint32_t power_state)
{
    char name[128];

    format_text(name, sizeof(name), "CPU_SUSPEND (32-bit) refuses %s", state);
    check_refused(name, PSCI_INVALID_PARAMETERS, PSCI_CPU_SUSPEND, power_state, (uint64_t)payload_resume, 0);
    format_text(name, sizeof(name), "CPU_SUSPEND (64-bit) refuses %s", state);
    check_refused(name, PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_SUSPEND), power_state, (uint64_t)payload_resume, 0);
}

void cases_suspend_errors(void)
{
    char name[128];

    for (size_t i = 0; i < sizeof(bad_states) / sizeof(bad_states[0]); i++) {
        check_state(bad_states[i].name, bad_states[i].power_state);
    }
    for (const struct named_state *state = board.refused; state->name != NULL; state++) {
        check_state(state->name, state->power_state);
    }
    for (const struct named_address *bad = board.bad_entry; bad->name != NULL; bad++) {
        format_text(name, sizeof(name), "CPU_SUSPEND refuses an entry point %s", bad->name);
        check_refused(name, PSCI_INVALID_ADDRESS, SMC64(PSCI_CPU_SUSPEND), POWER_STATE_DOWN_0, bad->address, 0);
    }
    check_refused("CPU_DEFAULT_SUSPEND refuses an entry point in secure memory", PSCI_INVALID_ADDRESS,
                  SMC64(PSCI_CPU_DEFAULT_SUSPEND), board.bad_entry[0].address, 0, 0);
}
