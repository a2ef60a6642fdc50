/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines that the meter writes, each complete in itself; docs/howto/steal.md lists them. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "calibrate.h"

struct run_facts {
    const char *machine;
    uint64_t counter_hz;
    uint64_t interval_ns;
    uint64_t threshold_ns;
    uint64_t duration_ns;
    uint64_t start_ns; /* CLOCK_MONOTONIC */
    uint64_t start_ticks;
    int priority;
};

void output_head(FILE *file, const struct run_facts *facts);
void output_cpu(FILE *file, unsigned cpu, const struct calibration *found);
void output_second(FILE *file, unsigned cpu, uint64_t second, const struct meter_sums *sums, double cycles_per_tick);
void output_theft(FILE *file, unsigned cpu, const struct theft *theft);
void output_counts(FILE *file, unsigned cpu, const struct meter *meter);
void output_end_of_cpu(FILE *file, unsigned cpu, const struct meter *meter, uint64_t dropped, uint64_t own_ns, bool went_off);
void output_end(FILE *file);

#endif
