/* SPDX-License-Identifier: BSD-3-Clause */
/* platform/common's parking, the production source, as the power controller of the explored system. */
#ifndef PARKED_H
#define PARKED_H

#include "psci_platform.h"

struct parked_state {
    uint32_t wanted_on[PSCI_MAX_CORES];
    bool is_parked[PSCI_MAX_CORES];
};

/* Sets up the interrupt controller for every core; `off`: a bit for each that is parked. */
void parked_init(struct psci_platform *hooks, uint32_t off);

struct parked_state parked_save(void);
void parked_restore(const struct parked_state *state);

uint64_t parked_hash(uint64_t hash, uint64_t (*mix)(uint64_t hash, uint64_t value));

/* For struct host_machine. */
void parked_sleep(unsigned core, bool for_off);

#endif
