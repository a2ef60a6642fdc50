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

#define PERCPU_HARDENING 108
#define HARDENING_FLUSHES_PREDICTOR 0 /* numbers of bits */
#define HARDENING_STOPS_CYCLES 1

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
    uint32_t hardening; /* with LATLAB_HARDENED: what the entry to EL3 does, HARDENING_* */
    struct percpu_controls controls;
    uint8_t stack[PERCPU_STACK_BYTES] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct percpu) == PERCPU_BYTES, "entry.S knows the size");
_Static_assert(offsetof(struct percpu, hardening) == PERCPU_HARDENING, "and this place");

extern struct percpu percpus[];

static inline struct percpu *percpu(void)
{
    return (struct percpu *)(uintptr_t)SYSREG_READ_FIXED("tpidr_el3");
}

#endif
#endif
