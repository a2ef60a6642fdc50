/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores there are, and which of them calls. */
#ifndef PAYLOAD_CORE_TABLE_H
#define PAYLOAD_CORE_TABLE_H

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

extern struct core_context core_contexts[MAX_CORES];
extern struct core cores[MAX_CORES];
extern uint32_t core_count;
extern uint32_t lead_index;

/* Index of the calling core. */
uint32_t core_self(void);
/* 1 or 2. */
uint32_t current_el(void);

#endif
