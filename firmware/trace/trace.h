/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instrument: one ring of (time, event, argument) per core, captured inline in at most 8 instructions.
 *
 * The build supplies "trace_hooks.h" with
 *   TRACE_NOW_TICKS()          the counter, uint64_t
 *   TRACE_RING()               the ring of the calling core, struct trace_ring *
 *   TRACE_READER_SYNC(p, n)    makes what a core wrote with its caches off visible to this reader (may be empty)
 * and sets TRACE_ENABLED to 0 or 1. Disabled, every capture is nothing.
 *
 * A ring has one writer, its own core, which never writes while it is in another capture: code that interrupts a core may
 * not capture into the same ring. Any core may read any ring at any time.
 *
 * A capture checks no bound: the ring ends in TRACE_SLACK spare records, and trace_settle(), called between two
 * calls of the firmware, starts the next lap once the nominal end has been passed. TRACE_CAPACITY is that end. So one call of the firmware may
 * capture at most TRACE_SLACK records, and a span is never torn by the end of the ring.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

#include "trace_hooks.h"
#include "trace_ring.h"

/*
 * Records an event that happened at `time_ticks`. Of `arg` the low 48 bits are kept. Only the ring's own core calls this,
 * with caches on or off, after trace_init() and at most TRACE_SLACK times between two calls of trace_settle().
 */
static inline void trace_event_at(uint64_t time_ticks, enum trace_event_id event, uint64_t arg)
{
#if TRACE_ENABLED
    struct trace_ring *ring = TRACE_RING();
    struct trace_record *record = ring->next;

    record->time_ticks = time_ticks;
    record->event_arg = arg << 16 | (uint64_t)event;
    ring->next = record + 1;
#else
    (void)time_ticks;
    (void)event;
    (void)arg;
#endif
}

/* The same for an event that happens now. */
static inline void trace_event(enum trace_event_id event, uint64_t arg)
{
#if TRACE_ENABLED
    trace_event_at(TRACE_NOW_TICKS(), event, arg);
#else
    (void)event;
    (void)arg;
#endif
}

/* Makes a ring empty, its next sequence 0. Before its core captures and before anybody reads it. */
void trace_init(struct trace_ring *ring);

/*
 * Puts aside what PMF needs of a part of a lap and, at the end of the lap, starts the next. trace_settle() is the only
 * caller and decides when.
 */
void trace_end_part(struct trace_ring *ring);

#if TRACE_ENABLED
static inline const struct trace_record *trace_part_end(const struct trace_ring *ring)
{
    return TRACE_CAPACITY > TRACE_PART ? ring->part_end : &ring->records[TRACE_CAPACITY];
}
#endif

/*
 * Makes room for the next TRACE_SLACK captures. Called by the ring's own core between two calls of the firmware, outside
 * every span, caches on.
 */
static inline void trace_settle(void)
{
#if TRACE_ENABLED
    struct trace_ring *ring = TRACE_RING();

    if (ring->next >= trace_part_end(ring)) {
        trace_end_part(ring);
    }
#endif
}

/* Sequence that the next record gets, and the oldest that is still held: records [oldest, next) can be read. */
struct trace_status {
    uint64_t next;
    uint64_t oldest;
};

/*
 * A look at a ring that may be written meanwhile: both grow, so `oldest` may be lost by the time that it is read. Any core,
 * caches on.
 */
struct trace_status trace_status(const struct trace_ring *ring);

/*
 * For any core, caches on, and for any `sequence`, which may be untrusted. Copies up to `room` records from `sequence` on.
 * Returns how many (0: not written yet), or -1 where the sequence is lost, also if it was overwritten while it was read.
 */
int trace_read(const struct trace_ring *ring, uint64_t sequence, struct trace_record *out, unsigned room);

/*
 * Latest stamp of the PMF event with this index, which is below TRACE_PMF_EVENTS, in ticks; 0 if there was none. Any core,
 * caches on.
 */
uint64_t trace_pmf_ticks(const struct trace_ring *ring, unsigned pmf_index);

/*
 * Cost of one capture at a call site, in thousandths of a tick, measured on the calling core, whose ring it writes 16
 * records into. Once, at boot.
 */
uint32_t trace_calibrate_mticks(void);

#endif
