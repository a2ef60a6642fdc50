/* SPDX-License-Identifier: BSD-3-Clause */
/* What every platform does on its boot core before another core runs. The platform's memory_map.h says how many cores there are at most. */
#ifndef START_H
#define START_H

#include <stdint.h>

#include "percpu.h"

/*
 * Before the normal world runs, which may ask for the ring of a core that has not run yet. The rings share the memory from the
 * end of the image, which is mapped as data, up to `end`.
 */
void start_percpus(unsigned cores, uintptr_t end);

/* Last: what never changes from here on is also read by cores whose caches are off. docs/locking.md, What runs at the same time. */
void start_clean_to_memory(void);

/* For struct monitor_platform. */
const struct trace_ring *start_ring_of(unsigned core);

#endif
