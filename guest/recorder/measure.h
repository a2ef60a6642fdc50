/* SPDX-License-Identifier: BSD-3-Clause */
/* One measuring thread per CPU: it sleeps until its next wake-up is due, reads the clocks and keeps its tally. */
#ifndef MEASURE_H
#define MEASURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "kernel_events.h"
#include "tally.h"

/* Filled in down to `kernel_events` by whoever starts it; the rest is the thread's until it has been joined. */
struct measurer {
    struct tally_rules rules;
    uint64_t first_due_ns;
    uint64_t end_ns;
    uint32_t cpu;
    int priority;
    struct kernel_events *kernel_events; /* NULL where they are not kept */
    pthread_t thread;
    uint32_t generation; /* odd while the tally is being written */
    struct tally tally;
    struct outlier_queue queue;
};

/* Ends all threads. A signal handler may set it: it is lock-free. */
extern atomic_int measure_stop;

/*
 * 0, or the errno that says why the thread cannot run at this priority or on this CPU. Needs the right to SCHED_FIFO; join
 * `thread` at the end.
 */
int measure_start(struct measurer *measurer);

/*
 * A consistent copy of the tally, taken while the thread goes on, which never waits for it: this side tries until no
 * wake-up fell into the copy.
 */
void measure_snapshot(const struct measurer *measurer, struct tally *copy);

/*
 * Cost of the bookkeeping of one wake-up, clock and counter included, in picoseconds. Before any thread is
 * started; `scratch` is overwritten.
 */
uint64_t measure_loop_cost_ps(struct measurer *scratch);

#endif
