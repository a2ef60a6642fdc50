/* SPDX-License-Identifier: BSD-3-Clause */
/* What a CoreSight decoder says of one core, made into the writer's calls. The elements are those of OpenCSD, without its library. */
#ifndef PROBE_TRACES_CORESIGHT_ELEMENTS_H
#define PROBE_TRACES_CORESIGHT_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "world.h"
#include "writer.h"

enum element_kind {
    ELEMENT_OTHER, /* of which only the cycles count */
    ELEMENT_NO_SYNC,
    ELEMENT_TRACE_ON,
    ELEMENT_CONTEXT,
    ELEMENT_RANGE,
    ELEMENT_NO_PATH, /* instructions of which the path is not known */
    ELEMENT_NO_MEMORY,
    ELEMENT_NO_ADDRESS,
    ELEMENT_EXCEPTION,
};

/* Why there is no synchronisation, or why the trace is on again. */
enum element_reason { REASON_OTHER, REASON_START, REASON_OVERFLOW, REASON_BAD_DATA };

struct element {
    enum element_kind kind;
    enum element_reason reason;
    uint64_t address, end; /* of code, the end is behind it; of an exception the return address, where `has_address` */
    uint64_t place; /* byte of the trace */
    uint32_t instructions;
    uint32_t cycles; /* since the last element with cycles */
    bool has_cycles, has_address;
    uint8_t isa; /* enum trace_isa */
    uint8_t world; /* of a context */
};

struct element_counts {
    uint64_t instructions, ranges, no_memory;
    uint64_t first_no_memory, first_place; /* its address and where the trace says so */
};

/* One core of a trace. Zero but for the first four. */
struct element_stream {
    uint64_t identity;
    bool has_worlds; /* the decoder says each change of the world */
    bool has_clock; /* the trace has cycle counts */
    bool is_used; /* the source exists */

    struct trace_core *core; /* NULL before anything can be said of it */
    uint64_t start_place;
    uint8_t world;
    bool is_unsynchronised; /* nothing but the reason came since then */
    bool is_dated; /* the clock is that of the next instruction */
    uint64_t clock;
    uint64_t unknown, unknown_place; /* instructions of no known world, which no gap says yet */
    uint64_t return_address;
    bool has_return_address;
    struct element_counts counts;
};

void elements_start(struct element_stream *stream, uint64_t identity, bool has_worlds, bool has_clock);
void elements_take(struct element_stream *stream, const struct element *element);

/* No element follows. */
void elements_finish(struct element_stream *stream);

#endif
