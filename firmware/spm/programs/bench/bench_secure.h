/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the secure side of the bench: a bench topic as the type runs one iteration of it, and these. */
#ifndef BENCH_SECURE_H
#define BENCH_SECURE_H

#include <stdint.h>

#define BENCH_SECURE_START  1000 /* out: cost of a pair of checkpoints, int64_t ticks */
#define BENCH_SECURE_FETCH  1001 /* in: struct bench_fetch_request; out: records, struct profiler_fetched */

#define BENCH_FETCH_RECORDS 8U

struct bench_fetch_request {
    uint32_t topic;
    uint32_t reserved;
    uint64_t from;
};

#endif
