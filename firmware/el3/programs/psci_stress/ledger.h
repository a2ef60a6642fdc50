/* SPDX-License-Identifier: BSD-3-Clause */
/* Every CPU_ON that was granted must lead to one arrival, in order. The books are kept by pair of caller and target. */
#ifndef PSCI_STRESS_LEDGER_H
#define PSCI_STRESS_LEDGER_H

#include <stdint.h>

/* The context_id of the next CPU_ON of `target` by `caller`. The same until that call is granted. */
uint64_t ledger_offer(uint32_t caller, uint32_t target);
void ledger_grant(uint32_t caller, uint32_t target);
/* On the core that arrived. Panics where the context_id is not the next one of its caller. */
void ledger_arrive(uint64_t context_id);

/* Of one target. They may be one apart while an arrival is under way. */
uint64_t ledger_granted(uint32_t target);
uint64_t ledger_arrived(uint32_t target);

#endif
