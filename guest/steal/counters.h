/* SPDX-License-Identifier: BSD-3-Clause */
/* The three clocks of one CPU that stop at different places: the system counter, the cycle counter, and an event counter of cycles. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

/* One moment by all three. The two of the PMU are read together, with interrupts off; the system counter before and after that. */
struct reading {
    uint64_t before_ticks;
    uint64_t after_ticks;
    uint64_t cycles; /* PMCCNTR_EL0, where the kernel gave it: calibration shows */
    uint64_t events; /* CPU_CYCLES on an event counter */
};

/* Both counters of one CPU, in one group. `leader` is -1 where they are not open. */
struct counters {
    int leader;
    int member;
};

/* 0, or the errno of perf_event_open: see why_of_errno(). Whatever the CPU executes is counted, whichever task it is. */
int counters_open(struct counters *counters, unsigned cpu);

void counters_close(struct counters *counters);

/* By a thread on that CPU. 0, or an errno: ENODATA where something else holds the counters. */
int counters_read(const struct counters *counters, struct reading *reading);

#endif
