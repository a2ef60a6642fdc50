/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACE_HOOKS_H
#define TRACE_HOOKS_H

#include <stddef.h>

#include "arch.h"

struct trace_ring;
struct trace_ring *host_ring(void);

/* Where a reader looks at a ring; a test may have the ring's core write in between. */
void host_reader_sync(const void *address, size_t bytes);

#define TRACE_NOW_TICKS() arch_counter_ticks()
#define TRACE_RING() host_ring()
#define TRACE_READER_SYNC(address, bytes) host_reader_sync((address), (bytes))

#endif
