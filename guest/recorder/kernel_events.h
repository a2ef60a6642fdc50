/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel did on one CPU until a late wake-up, and how far the CPU's two cycle counters had come at each of its steps. The kernel
 * writes that into a ring which overwrites itself; a copy is made of a late wake-up only, so one in time costs this side nothing.
 */
#ifndef KERNEL_EVENTS_H
#define KERNEL_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "calibrate.h"
#include "smi_counter.h"
#include "tally.h"
#include "tracepoints.h"

#define KEPT_BYTES (1U << 20)       /* between two checkpoints; a power of two */
#define KEPT_OF_ONE 65536U          /* the newest of a late wake-up's records */
#define KEPT_OF_LONG 131072U        /* the same if it was late by LONG_NS, which is seldom */
#define LONG_NS 10000000ULL
#define KEPT_EARLIER 4096U          /* of them for the last time that the thread had the CPU before it was due */
#define KEPT_BUSY (KEPT_BYTES / 4U) /* not taken yet: so many late wake-ups leave no room for that last time */
#define SELDOM_NS 1000000ULL        /* few wake-ups are late by this, and they keep that last time nevertheless */

/* Of a late wake-up, before its records, the newest first. The counters were read when the thread ran; `readable` says whether at all. */
struct late_head {
    uint64_t wake_ns;
    uint64_t wake_ticks;
    uint64_t before_ticks;
    uint64_t after_ticks;
    uint64_t cycles;
    uint64_t events;
    uint64_t own_ns;    /* CPU time of the thread from before it slept to own_at_ns on CLOCK_MONOTONIC; the first is 0 without a steal clock */
    uint64_t own_at_ns;
    uint64_t smis; /* SMI_COUNT_UNKNOWN if they are not counted by an event; otherwise each record has their number too */
    uint32_t cpu;
    uint32_t readable;
    uint32_t is_whole; /* they go back to before it was due */
    uint32_t bytes;    /* of records */
};

/* An event of which not all records are of interest. */
struct event_filter {
    int fd;
    const char *filter; /* as in struct tracepoint */
};

/* One writer, the measuring thread; one reader. `put` and `taken` count bytes. */
struct kernel_events {
    unsigned cpu;
    int error; /* why the tracepoints are not open; 0 where they are */
    uint32_t switch_id;
    uint32_t comes_at; /* where a switch has the number of the thread that comes; 0 if the kernel does not say */
    pid_t thread;       /* the measuring one */
    struct calibration found;
    struct counters counters;
    struct smi_counter smis; /* of each record only if its source is the event */
    bool with_runtimes; /* what threads are charged for is kept too */
    uint64_t slept_at_own_ns;
    unsigned filters;
    struct event_filter filtered[TRACEPOINTS_MOST];
    const void *ring; /* NULL where they are not open */
    uint32_t put;
    uint32_t taken;
    uint64_t dropped;  /* found no room; by the writer */
    uint64_t left_out; /* did not fit into the file; by the reader */
    char kept[KEPT_BYTES];
};

/* By a thread on that CPU, which is calibrated first. Where the meter is blind, the events are opened without counters. */
void kernel_events_open(struct kernel_events *self, unsigned cpu, const struct tracepoints *tracepoints);

/* By the measuring thread, before it measures: of some events only its own are of interest. */
void kernel_events_of(struct kernel_events *self, pid_t thread);

/* By the measuring thread, before it sleeps. */
void kernel_events_sleep(struct kernel_events *self);

/* By the measuring thread, at once after a wake-up that was late. One that finds no room is counted as dropped. */
void kernel_events_keep(struct kernel_events *self, const struct outlier *late);

/* The oldest that was not taken yet into `out`, which has room for KEPT_OF_LONG and a head; its bytes, 0 where there is none. By one reader. */
uint32_t kernel_events_take(struct kernel_events *self, char *out);

#endif
