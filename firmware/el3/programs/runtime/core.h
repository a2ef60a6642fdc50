/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores: who they are, starting them, giving them work, waiting until they are off. */
#ifndef PAYLOAD_CORE_H
#define PAYLOAD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* What assembly keeps for a core; TPIDR_EL0 points at it. Indexed by the place that MPIDR gives. */
struct core_context {
    uint64_t frame;
    uint64_t sp;
    uint64_t x19_to_x30[12];
    uint64_t index;
    uint64_t reserved;
};

_Static_assert(sizeof(struct core_context) == CONTEXT_STRIDE, "assembly knows this size");
_Static_assert(offsetof(struct core_context, sp) == CONTEXT_SP, "assembly knows this offset");
_Static_assert(offsetof(struct core_context, x19_to_x30) == CONTEXT_X19, "assembly knows this offset");

struct core {
    uint64_t mpidr;
    uint32_t cluster;
    uint32_t core;
};

typedef void core_job(uint64_t argument);

extern struct core cores[MAX_CORES];
extern uint32_t core_count;
extern uint32_t lead_index;

/*
 * Once, on the boot core, which becomes the lead, before any other runs. Fills the table from the firmware's topology, or
 * from AFFINITY_INFO where the firmware has none to tell. Panics where that does not fit this program.
 */
void core_discover(void);
/* Whether the timer of a core was on when the core last came from off; it is off in the program. */
bool core_had_timer(uint32_t index);
/* Index of the calling core. */
uint32_t core_self(void);
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

/* 1 or 2. */
uint32_t current_el(void);

#endif
