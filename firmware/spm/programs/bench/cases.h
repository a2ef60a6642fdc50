/* SPDX-License-Identifier: BSD-3-Clause */
/* What the bench measures, the same from the non-secure side and from a secure partition. */
#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "psa/error.h"

/* X(topic, name, bytes each way) */
#define BENCH_CASES(X)              \
    X(CONNECT, "connect", 0)        \
    X(CLOSE, "close", 0)            \
    X(CALL_0, "call_0", 0)          \
    X(CALL_16, "call_16", 16)       \
    X(CALL_256, "call_256", 256)    \
    X(CALL_4096, "call_4096", 4096) \
    X(STATELESS_0, "stateless_0", 0)          \
    X(STATELESS_16, "stateless_16", 16)       \
    X(STATELESS_256, "stateless_256", 256)    \
    X(STATELESS_4096, "stateless_4096", 4096) \
    X(VERSION, "version", 0)        \
    X(NOTHING, "nothing", 0)

enum bench_topic {
#define X(topic, name, bytes) BENCH_##topic,
    BENCH_CASES(X)
#undef X
    BENCH_TOPICS
};

extern const char *const bench_names[BENCH_TOPICS];
extern const uint32_t bench_bytes[BENCH_TOPICS];

#define BENCH_ITERATIONS         20U
#define BENCH_CALIBRATION_ROUNDS 50U

/* Measures what the checkpoints and the way to a case cost. */
void bench_calibrate(void);

/* One iteration: the case between two checkpoints with its topic. */
psa_status_t bench_case(enum bench_topic topic);

/* The parts of a case, without checkpoints: the interrupt sweep uses them. */
psa_status_t bench_prepare(enum bench_topic topic);
psa_status_t bench_act(enum bench_topic topic);
psa_status_t bench_finish(enum bench_topic topic);

/* What the act sends, and whether the same came back; the pattern is the caller's. */
void bench_data_fill(enum bench_topic topic, uint32_t pattern);
bool bench_data_is_back(enum bench_topic topic, uint32_t pattern);

#endif
