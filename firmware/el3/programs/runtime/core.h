/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores: finding out who they are, starting them, giving them work, waiting until they are off. */
#ifndef PAYLOAD_CORE_H
#define PAYLOAD_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core_table.h"

typedef void core_job(uint64_t argument);

/*
 * Once, on the boot core, which becomes the lead, before any other runs. Fills the table from the firmware's topology, or
 * from AFFINITY_INFO where the firmware has none to tell. Panics where that does not fit this program.
 */
void core_discover(void);
/* Whether the timer of a core was on when the core last came from off; it is off in the program. */
bool core_had_timer(uint32_t index);
/* True where the firmware has no core of this affinity. */
bool core_is_unknown(uint64_t mpidr);

/* What a core does that was started with a context_id of the program's own, at payload_secondary. NULL: jobs of core_start. */
void core_set_arrival(void (*arrival)(uint64_t context_id));
/*
 * CPU_ON of a core that is off, with a job. What was stored before is visible to it; it goes off when the job returns.
 * Panics where the firmware refuses.
 */
void core_start(uint32_t index, core_job *job, uint64_t argument);
/* Sleeps until AFFINITY_INFO says OFF. Panics after `timeout_us`. */
void core_wait_off(uint32_t index, uint64_t timeout_us);
/* CPU_OFF of the caller. Does not return. */
_Noreturn void core_off(void);

#endif
