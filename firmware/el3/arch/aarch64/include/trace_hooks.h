/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACE_HOOKS_H
#define TRACE_HOOKS_H

#include <stddef.h>

#include "arch.h"
#include "sysregs.h"

#define TRACE_NOW_TICKS() arch_counter_ticks()
#define TRACE_RING() (&percpu()->ring)
#define TRACE_READER_SYNC(address, bytes) trace_reader_sync((uintptr_t)(address), (bytes))

/* A core that goes down writes its last records with its caches off: what this core's caches hold of them may be old. */
static inline void trace_reader_sync(uintptr_t address, size_t bytes)
{
    uintptr_t line = address & ~(uintptr_t)(ARCH_CACHE_LINE - 1);

    for (; line < address + bytes; line += ARCH_CACHE_LINE) {
        dc_civac(line);
    }
    dsb_sy();
}

#endif
