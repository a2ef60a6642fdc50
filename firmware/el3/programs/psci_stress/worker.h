/* SPDX-License-Identifier: BSD-3-Clause */
/* What each core does until the run is stopped: at random it suspends, starts another core, or goes off. */
#ifndef PSCI_STRESS_WORKER_H
#define PSCI_STRESS_WORKER_H

#include <stdbool.h>
#include <stdbool.h>
#include <stdint.h>

/* `delays`: cores wait around their calls, some of them long. */
void worker_init(uint64_t seed, bool delays);
/* One step of the calling core. The lead never goes off. */
void worker_step(void);
/* CPU_ON of some other core. */
void worker_start_another(void);
/* True where every core but the lead went off by itself. */
bool worker_all_others_left(void);
/* Where a core arrives by CPU_ON. Returns when the core is to go off. */
void worker_arrival(uint64_t context_id);

uint64_t worker_transitions(void);
void worker_stop(void);

#endif
