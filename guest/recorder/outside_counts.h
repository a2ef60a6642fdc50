/* SPDX-License-Identifier: BSD-3-Clause */
/* What takes a CPU from its kernel and leaves no event: the counts of it, in lines of a file (docs/reference/recorder.md). */
#ifndef OUTSIDE_COUNTS_H
#define OUTSIDE_COUNTS_H

#include <stdio.h>

#include "smi_counter.h"
#include "steal_clock.h"

struct outside_counts {
    FILE *file; /* NULL before it is open */
    unsigned cpus;
    const uint32_t *cpu_numbers;
    enum steal_clock steal;
    struct smi_counter smis[STEAL_CLOCK_MOST_CPUS]; /* in the order of cpu_numbers */
};

/* 0 or an errno. `cpu_numbers` stay where they are. Notes the counts once. */
int outside_counts_open(struct outside_counts *self, const char *path, unsigned cpus, const uint32_t *cpu_numbers);

/* A line for each CPU, all of them of one moment. 0 or an errno. */
int outside_counts_note(struct outside_counts *self);

/* Notes them for the last time. 0 or an errno. */
int outside_counts_close(struct outside_counts *self);

#endif
