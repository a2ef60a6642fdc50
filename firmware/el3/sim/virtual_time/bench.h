/* SPDX-License-Identifier: BSD-3-Clause */
/* The psci campaign in virtual time: what is done, and what is printed. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>

#include "board.h"
#include "trace.h"

/* The records of one core, copied when its call is over: those of later calls may write over them in the ring. */
struct bench_measurement {
    uint64_t first_sequence;
    uint64_t lost;
    unsigned count;
    struct trace_record records[TRACE_RECORDS];
};

enum bench_kind { BENCH_PARALLEL, BENCH_SERIAL, BENCH_OFF_SERIAL };

struct bench_test {
    const char *name;
    enum bench_kind kind;
    uint32_t power_state; /* 0: PSCI_VERSION */
};

#define BENCH_TESTS BOARD_TESTS
extern const struct bench_test bench_tests[BENCH_TESTS];

enum bench_output { BENCH_DUMP, BENCH_SPANS, BENCH_NOTHING };

/* False where a rule was broken; the reason is on stderr. `only`: the number of one test, or BENCH_TESTS for all. */
bool bench_run(const struct board *board, uint64_t iterations, unsigned only, enum bench_output output);

/* dump.c */
void dump_boot(const struct board *board, uint64_t iterations);
void dump_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements);
void dump_end(unsigned tests, uint64_t iterations);
void spans_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements);

#endif
