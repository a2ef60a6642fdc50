/* SPDX-License-Identifier: BSD-3-Clause */
/* The source itself, and not a copy of what it does: its state is static, so it is seen only from in here. */
#include "parking.c"

#include <string.h>

#include "host_private.h"
#include "interrupts.h"
#include "parked.h"
#include "system_state.h"

static struct psci_platform *parking;

void parked_init(struct psci_platform *hooks, uint32_t off)
{
    parking = hooks;
    interrupts_reset();
    memset(wanted_on, 0, sizeof(wanted_on));
    memset(is_parked, 0, sizeof(is_parked));
    parking_init(hooks);
    for (unsigned core = 1; core < system_setup.cores; core++) {
        host_become(core);
        gic->init_core(core);
        if ((off >> core & 1U) != 0) {
            hooks->core_prepare_down(core, true);
        }
    }
    host_become(0);
}

struct parked_state parked_save(void)
{
    struct parked_state state;

    for (unsigned core = 0; core < PSCI_MAX_CORES; core++) {
        state.wanted_on[core] = wanted_on[core].value;
        state.is_parked[core] = is_parked[core];
    }
    return state;
}

void parked_restore(const struct parked_state *state)
{
    for (unsigned core = 0; core < PSCI_MAX_CORES; core++) {
        wanted_on[core].value = state->wanted_on[core];
        is_parked[core] = state->is_parked[core];
    }
}

uint64_t parked_hash(uint64_t hash, uint64_t (*mix)(uint64_t hash, uint64_t value))
{
    for (unsigned core = 0; core < system_setup.cores; core++) {
        hash = mix(hash, (uint64_t)wanted_on[core].value << 1 | is_parked[core]);
    }
    return hash;
}

void parked_sleep(unsigned core, bool for_off)
{
    interrupts_state.cores[core].fell_through = 0;
    system_state.sleeps_off[core] = for_off;
    if (setjmp(host_core_self()->asleep) == 0) {
        parking->power_down(core, for_off);
    }
    system_state.sleeps_off[host_self()] = false;
}
