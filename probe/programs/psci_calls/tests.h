/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls, one iteration of a test at a time, between marks. Test numbers are those of the trace's own benchmark. */
#ifndef PSCI_CALLS_TESTS_H
#define PSCI_CALLS_TESTS_H

#include <stdbool.h>
#include <stdint.h>

enum test_number {
    TEST_SUSP_DEEP_PARALLEL,
    TEST_SUSP_DEEP_SERIAL,
    TEST_CPU_SUSP_PARALLEL,
    TEST_CPU_SUSP_SERIAL,
    TEST_CPU_OFF_SERIAL,
    TEST_PSCI_VERSION_PARALLEL,
};

/* What one core does: PSCI_VERSION where the state is 0. */
struct call {
    enum test_number test;
    uint32_t power_state;
    uint64_t wake_us;
    uint64_t iteration;
    uint64_t iterations; /* of test_version */
    bool stay_on;
};

/* All cores meet and make the call, so often. They are started once, and stay on where `stay_on` says so. */
void test_version(const struct call *call);

/* All cores meet, then all make the call. */
void test_parallel(const struct call *call);
/* One core after the other; the lead, which slept meanwhile, comes last. */
void test_serial(const struct call *call);
/* All but the lead go off one after the other, and on again. */
void test_off_serial(const struct call *call);
/* The lead's own row of the test above: it suspends while all others are off. */
void test_lead_alone(const struct call *call);

#endif
