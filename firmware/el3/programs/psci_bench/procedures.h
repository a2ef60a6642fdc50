/* SPDX-License-Identifier: BSD-3-Clause */
/* How the cores are led through an iteration of a test. Each leaves a measurement of every core. */
#ifndef PSCI_BENCH_PROCEDURES_H
#define PSCI_BENCH_PROCEDURES_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"
#include "measure.h"

struct bench_test {
    const char *name;
    void (*procedure)(const struct bench_test *test);
    uint32_t power_state; /* 0: PSCI_VERSION instead of a suspend */
    uint64_t wake_us; /* from the call to its wake-up timer */
};

extern struct measurement measurements[MAX_CORES];

/* All cores meet, then all make the call. */
void procedure_parallel(const struct bench_test *test);
/* Each core makes the call while no other one is on, except the lead, which sleeps. The lead itself comes last. */
void procedure_serial(const struct bench_test *test);
/* The others go off one after the other, the lead suspends, the others come on one after the other. */
void procedure_off_serial(const struct bench_test *test);

#endif
