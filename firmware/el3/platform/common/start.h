/* SPDX-License-Identifier: BSD-3-Clause */
/* What every platform does on its cores before the normal world runs. The platform's memory_map.h says how many there are at most. */
#ifndef START_H
#define START_H

#include <stdint.h>

#include "percpu.h"

/* Given by the boot core once it knows it, before start_core(). */
extern uint64_t start_counter_hz;

/* On every core: the counter's frequency, and what the core has. The boot core calls it after start_percpus(). */
void start_core(void);

/*
 * Before the normal world runs, which may ask for the ring of a core that has not run yet. The rings share the memory from the
 * end of the image, which is mapped as data, up to `end`.
 */
void start_percpus(unsigned cores, uintptr_t end);

/* Last: cores whose caches are off also read what never changes from here on (docs/explanation/locking.md). */
void start_clean_to_memory(void);

/* For struct monitor_platform. */
const struct trace_ring *start_ring_of(unsigned core);

#endif
