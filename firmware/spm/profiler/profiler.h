/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiler: checkpoints in a trace ring of the world that takes them, and what can be made of them.
 *
 * A checkpoint carries a tag: its id, its topic, the calibration that applies to it and whether it begins or ends a
 * span. Each world (the non-secure side, a secure partition) links its own copy and keeps its own ring; both read the
 * same counter, so a span may begin in one world and end in the other.
 */
#ifndef PROFILER_H
#define PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace.h"

typedef uint64_t profiler_tag;

enum profiler_type { PROFILER_POINT, PROFILER_BEGIN, PROFILER_END };

#define PROFILER_CALIBRATIONS      4U
#define PROFILER_CALIBRATION_TOPIC 0xFFU

#define PROFILER_TAG(checkpoint, topic, calibration, type)                                                   \
    ((profiler_tag)(checkpoint) | (profiler_tag)(topic) << 16 | (profiler_tag)(calibration) << 24 | \
     (profiler_tag)(type) << 32)

static inline uint32_t profiler_topic(profiler_tag tag)
{
    return (uint32_t)(tag >> 16) & 0xFFU;
}

static inline uint32_t profiler_calibration_of(profiler_tag tag)
{
    return (uint32_t)(tag >> 24) & 0xFFU;
}

/* A record as the profiler hands it out: the time no longer wraps. */
struct profiler_record {
    uint64_t sequence;
    uint64_t time_ticks;
    profiler_tag tag;
};

struct profiler_fetched {
    uint32_t count;
    uint32_t lost;  /* records from `from` on that newer ones have overwritten */
    uint64_t next;  /* where to go on */
};

struct profiler_statistics {
    uint32_t count;
    int64_t min_ticks;
    int64_t max_ticks;
    int64_t sum_ticks;
};

/*
 * Starts with the first counter of the platform that counts, with an empty ring; false if none does, and then nothing else
 * may be called. Each world calls its own, once, in the thread that takes its checkpoints: a handler takes none.
 */
bool profiler_init(void);

/* At most TRACE_SLACK between two calls of profiler_settle(). */
static inline void profiler_checkpoint(profiler_tag tag)
{
    trace_event(TRACE_CHECKPOINT, tag);
}

/* Makes room for the next checkpoints. Called between spans; a span is never torn by the end of the ring. */
static inline void profiler_settle(void)
{
    trace_settle();
}

/*
 * Calls `pair`, which takes two checkpoints of PROFILER_CALIBRATION_TOPIC just as a measurement does but with nothing
 * to measure between them, and keeps their difference under `index`; 0 rounds reset it. A NULL `pair` is two
 * neighbouring checkpoints. Statistics of a calibration that was not made have a count of 0.
 */
void profiler_calibrate(uint32_t index, uint32_t rounds, void (*pair)(void));
const struct profiler_statistics *profiler_calibration(uint32_t index);

/*
 * Copies up to `room` records of `topic` with sequence `from` or later, the oldest first; `next` of one call is `from` of
 * the one that goes on.
 */
struct profiler_fetched profiler_fetch(uint32_t topic, uint64_t from, struct profiler_record *out, uint32_t room);

/* Ticks from one checkpoint to another, less the calibration that the first one names. Negative if `end` came first. */
int64_t profiler_difference(const struct profiler_record *begin, const struct profiler_record *end);

/* Statistics begin as zeroes; the mean of none is 0, and halves are rounded away from zero. */
void profiler_statistics_add(struct profiler_statistics *statistics, int64_t ticks);
int64_t profiler_mean_ticks(const struct profiler_statistics *statistics);

#endif
