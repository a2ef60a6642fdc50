/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a ring; trace.h has what one does with it. */
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include <stdint.h>

#include "trace_events.h"
#include "trace_size.h"

struct trace_record {
    uint64_t time_ticks;
    uint64_t event_arg; /* event in bits 15:0, argument in bits 63:16 */
} __attribute__((aligned(16))); /* none lies across two cache lines */

struct trace_ring {
    struct trace_record *next;          /* where the next record goes */
    struct trace_record *lap_end;       /* where the previous lap ended; its records from `next` on are still held */
    uint64_t lap_first;                 /* sequence of records[0] */
    uint64_t pmf_ticks[TRACE_PMF_EVENTS]; /* latest stamp of each PMF event before `part` */
    struct trace_record *part;            /* first record of this lap whose PMF stamp has not been put aside */
    struct trace_record *part_end;        /* where it will be, or the lap ends */
    struct trace_record *records;         /* the storage, with room for TRACE_SLACK more than a lap has */
    uint64_t lap_records;                 /* a lap ends at the first call of the firmware that reaches this many */
};

#endif
