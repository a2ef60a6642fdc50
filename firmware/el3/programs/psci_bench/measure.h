/* SPDX-License-Identifier: BSD-3-Clause */
/* One call on one core: what is noted just before it and read right after it. All of it runs on the core under test. */
#ifndef PSCI_BENCH_MEASURE_H
#define PSCI_BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "stamps.h"

struct measurement {
    _Alignas(64) uint64_t start_ticks;
    uint64_t end_ticks;
    uint64_t first_sequence; /* the records of the call are first_sequence up to, not including, end_sequence */
    uint64_t end_sequence;
    struct stamps stamps;
    int64_t status; /* what the call returned */
    bool stamps_valid;
};

/* What is noted before a call, and what is read after it with its status. */
void measure_begin(struct measurement *measurement);
void measure_end(struct measurement *measurement, int64_t status);

/* The whole of it, with the call: a suspend that its timer ends after `wake_us`, and PSCI_VERSION. */
void measure_suspend(struct measurement *measurement, uint32_t power_state, uint64_t wake_us);
void measure_version(struct measurement *measurement);

#endif
