/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a core has to itself; TPIDR_EL3 points to it from the first instructions on. Offsets are used by entry.S. Only the
 * core itself writes it, apart from the boot core, which initialises all before another one runs.
 */
#ifndef PERCPU_H
#define PERCPU_H

#include "trace_size.h"

#define PERCPU_STACK_BYTES 2048
#define PERCPU_LINE_BYTES 64
#define PERCPU_RING_BYTES ((TRACE_RING_BYTES + 4 + PERCPU_LINE_BYTES - 1) / PERCPU_LINE_BYTES * PERCPU_LINE_BYTES) /* with the core's index */
#define PERCPU_BYTES (PERCPU_RING_BYTES + PERCPU_STACK_BYTES)

#ifndef __ASSEMBLER__

#include <stdint.h>

#include "trace_ring.h"

struct percpu {
    struct trace_ring ring; /* first, so that a capture needs no offset */
    uint32_t core_index;
    uint8_t stack[PERCPU_STACK_BYTES] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct percpu) == PERCPU_BYTES, "entry.S knows the size");

extern struct percpu percpus[];

/* Not volatile: the compiler may keep it in a register, it never changes on a core. */
static inline struct percpu *percpu(void)
{
    struct percpu *self;

    __asm__("mrs %0, tpidr_el3" : "=r"(self));
    return self;
}

#endif
#endif
