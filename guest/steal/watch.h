/* SPDX-License-Identifier: BSD-3-Clause */
/* One measuring thread for each CPU, and what it hands to the one that writes. */
#ifndef WATCH_H
#define WATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "calibrate.h"

#define THEFTS_HELD 4096U /* between two looks of the writer; powers of two */
#define SECONDS_HELD 64U

struct second {
    uint64_t number;
    struct meter_sums sums;
    double cycles_per_tick;
};

/* Filled in down to `priority` by whoever starts it. One writer, the thread; one reader, which takes what stands between the two counts. */
struct watcher {
    unsigned cpu;
    uint64_t interval_ns;
    uint64_t threshold_ns;
    uint64_t duration_ns;
    int priority;
    pthread_t thread;
    pthread_t keeper; /* keeps the CPU awake where the regime needs that */
    struct calibration found;
    struct counters counters;
    struct meter meter;
    uint64_t start_ticks;
    uint64_t own_ns;
    bool went_off; /* the kernel moved the thread to another CPU: nothing was measured from then on */
    uint64_t dropped;  /* thefts that found no room */
    uint64_t left_out; /* thefts that were not written; by the reader */
    atomic_uint thefts_put;
    atomic_uint thefts_taken;
    atomic_uint seconds_put;
    atomic_uint seconds_taken;
    struct theft thefts[THEFTS_HELD];
    struct second seconds[SECONDS_HELD];
};

/* Ends all threads. */
extern atomic_int watch_stop;

/* 0 or an errno. `ready` is passed when each CPU is calibrated, `go` when measuring may begin. */
int watch_start(struct watcher *watcher, pthread_barrier_t *ready, pthread_barrier_t *go);

/* Where the regime needs it. 0 or an errno. */
int watch_keep_awake(struct watcher *watcher);

void watch_join(struct watcher *watcher);

bool watch_take_theft(struct watcher *watcher, struct theft *theft);
bool watch_take_second(struct watcher *watcher, struct second *second);

#endif
