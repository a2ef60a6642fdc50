/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of one CPU's wake-ups, and the one function that adds to it: the inside of the measuring loop. */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"

#define OUTLIERS_HELD 4096U /* between two checkpoints; a power of two */

/* A wake-up later than the threshold, or so late that periods were missed. */
struct outlier {
    uint64_t wake_ns;    /* CLOCK_MONOTONIC when the thread ran */
    uint64_t wake_ticks; /* the system counter at that time, 0 where user space cannot read it */
    uint64_t late_ns;
    uint32_t cpu;
    uint32_t missed; /* periods that passed before the thread ran */
};

/*
 * `digest` is FNV-1a, 64 bits, over the latencies in their order: two runs with the same digest had the same samples.
 * `implied` holds what the missed periods would have shown had they been measured: each was late by the time that was left
 * of the delay when it began. `left_ns` is when the thread was first seen on another CPU, `left_for`, which ends the measurement of this one.
 */
struct tally {
    uint64_t got;
    uint64_t missed;
    uint64_t min_ns;
    uint64_t max_ns;
    uint64_t sum_ns;
    uint64_t digest;
    uint64_t outliers;
    uint64_t outliers_dropped;
    uint64_t left_ns; /* 0 while the thread is on its CPU */
    uint64_t left_for;
    struct histogram measured;
    struct histogram implied;
};

struct tally_rules {
    uint64_t interval_ns;
    uint64_t outlier_ns;
};

/* One writer, the measuring thread; one reader, which takes what stands between `taken` and `put`. */
struct outlier_queue {
    uint32_t put;
    uint32_t taken;
    struct outlier entries[OUTLIERS_HELD];
};

/* Before the first wake-up. */
void tally_init(struct tally *tally);

/*
 * Adds a wake-up at wake->wake_ns that was due at `due_ns`. Returns when the next one is due, which is after wake->wake_ns.
 * By the measuring thread alone; never waits, allocates or calls the system. An outlier that finds the queue full is
 * counted as dropped.
 */
uint64_t tally_wake_up(struct tally *tally, struct outlier_queue *queue, const struct tally_rules *rules, uint64_t due_ns,
                       const struct outlier *wake);

/* The oldest outlier that was not taken yet; false if there is none. By one reader, while the measuring thread goes on. */
bool outlier_take(struct outlier_queue *queue, struct outlier *out);

#endif
