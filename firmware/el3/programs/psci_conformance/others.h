/* SPDX-License-Identifier: BSD-3-Clause */
/* Other cores as the cases need them: on and waiting, then off again. */
#ifndef PSCI_CONFORMANCE_OTHERS_H
#define PSCI_CONFORMANCE_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

#define NO_CORE UINT32_MAX

/* A core beside the lead: in the lead's cluster, or in another one. NO_CORE where the topology has none. */
uint32_t other_core_in_cluster(void);
uint32_t other_core(void);

/* Starts a core that then sleeps until other_stop; returns when it has arrived. */
void other_start(uint32_t index);
void other_stop(uint32_t index);

#define NO_TIMER 0

/* Starts a core that makes one suspend of `sleep_us`, or until it is interrupted, and returns when it is about to; other_stop takes it off. */
void other_start_suspended(uint32_t index, uint32_t power_state, uint64_t sleep_us);
/* What that suspend returned, NOT_BACK before it did. */
#define NOT_BACK 1
int64_t other_suspend_status(void);

#endif
