/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of all CPUs: checkpoints of their tallies, and their outliers up to the most that a file holds. Knows no clock. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>

#include "measure.h"
#include "record_file.h"

struct recording {
    struct record_file file;
    int write_error; /* not 0: from now on the tallies alone are written, into blocks that the file has */
    uint64_t left_out[RECORD_MAX_CPUS]; /* outliers of a CPU that came when the file was full of them */
    struct tally copies[RECORD_MAX_CPUS];
    struct outlier batch[OUTLIERS_HELD];
};

/* When a checkpoint is taken: CLOCK_MONOTONIC and the system counter; and the signals until then, as in struct record_slot. */
struct recording_moment {
    uint64_t ns;
    uint64_t ticks;
    uint64_t continued_ns;
    uint64_t continued;
    uint32_t stopped_by;
};

/*
 * Writes the outliers that have come, then the tallies. `now` is asked for in between, so that a checkpoint is never older
 * than it says. 0 or an errno, as the file's functions. By one thread, while the measurers run or after they have been
 * joined.
 */
int recording_checkpoint(struct recording *recording, struct measurer *measurers, struct recording_moment (*now)(void), bool is_final);

/* Whether at the last checkpoint no measurer was on its CPU any more. */
bool recording_has_ended(const struct recording *recording);

#endif
