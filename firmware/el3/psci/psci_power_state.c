/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power_state in the original format (DEN0022, 5.4.2): level in 25:24, type in 16, StateID in 15:0. The StateID follows
 * the recommended encoding: a local state of 4 bits per level, and in 15:12 the level at which the caller is the last core.
 */
#include "psci_private.h"

#define RESERVED 0xFCFE0000U
#define TYPE_POWERDOWN (1U << 16)
#define LEVEL_SHIFT 24U
#define LAST_AT_SHIFT 12U
#define NIBBLE 0xFU
#define STATE_ID_LEVELS 3U

bool psci_decode_power_state(uint32_t power_state, struct psci_request *request)
{
    unsigned top = (unsigned)psci.platform->topology->top_level;
    unsigned highest = (power_state >> LEVEL_SHIFT) & 3U;
    unsigned last_at = (power_state >> LAST_AT_SHIFT) & NIBBLE;
    unsigned shallower = PSCI_OFF;

    if ((power_state & RESERVED) != 0 || highest > top || highest >= STATE_ID_LEVELS || last_at > top) {
        return false;
    }
    request->local[PSCI_LEVEL_HIGHEST] = PSCI_RUN; /* the encoding ends below it: nobody can ask for it */
    for (unsigned level = 0; level < STATE_ID_LEVELS; level++) {
        unsigned local = (power_state >> (4U * level)) & NIBBLE;

        /* A domain cannot sleep deeper than what is in it, and nothing above the named level sleeps at all. */
        if (local > shallower || (level <= highest) != (local != PSCI_RUN)) {
            return false;
        }
        request->local[level] = (enum psci_local_state)local;
        shallower = local;
    }
    request->highest = (enum psci_level)highest;
    request->last_at = (enum psci_level)last_at;
    return psci_is_powerdown(request) == ((power_state & TYPE_POWERDOWN) != 0);
}

bool psci_is_powerdown(const struct psci_request *request)
{
    return request->local[PSCI_LEVEL_CORE] == PSCI_OFF;
}
