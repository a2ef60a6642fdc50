/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a core has to itself; TPIDR_EL3 points to it from the first instructions on. Offsets are used by entry.S. Only the
 * core itself writes it, apart from the boot core, which initialises all before another one runs.
 */
#ifndef PERCPU_H
#define PERCPU_H

#include "trace_size.h"

#define PERCPU_STACK_BYTES 2048
#define PERCPU_HEAD_BYTES 192 /* all that is not the stack, in cache lines of its own */
#define PERCPU_BYTES (PERCPU_HEAD_BYTES + PERCPU_STACK_BYTES)

#define PERCPU_ON_ENTRY 108
/* Numbers of bits. The first two are what LATLAB_HARDENED does at each entry; the first is what a workaround is, in every build. */
#define ENTRY_FLUSHES_PREDICTOR 0
#define ENTRY_STOPS_CYCLES 1
#define ENTRY_IS_SAFE_1 2 /* WORKAROUND_1 has nothing to do on this core */
#define ENTRY_IS_SAFE_3 3

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "sysregs.h"
#include "trace_ring.h"

/* What the core's registers of EL3 say while the normal world runs; made once, at cold boot. */
struct percpu_controls {
    uint64_t scr;
    uint64_t cptr;
    uint64_t mdcr;
    uint64_t further; /* features.c: registers that are there only with a feature */
};

struct percpu {
    struct trace_ring ring; /* first, so that a capture needs no offset */
    uint32_t core_index;
    uint32_t on_entry; /* what entry.S has to know of the core: ENTRY_* */
    struct percpu_controls controls;
    uint8_t stack[PERCPU_STACK_BYTES] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct percpu) == PERCPU_BYTES, "entry.S knows the size");
_Static_assert(offsetof(struct percpu, on_entry) == PERCPU_ON_ENTRY, "and this place");

extern struct percpu percpus[];

static inline struct percpu *percpu(void)
{
    return (struct percpu *)(uintptr_t)SYSREG_READ_FIXED("tpidr_el3");
}

#endif
#endif
