/* SPDX-License-Identifier: BSD-3-Clause */
/* The conformance program: own tests of the PSA API, run on the target, panics and resets included. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "psa/client.h"
#include "spm_cause.h"

enum needs {
    ANY_BUILD = 0,
    NEEDS_IPC = 1,
    NEEDS_SFN = 2,
    NEEDS_LEVEL_2 = 4,
    NEEDS_LEVEL_3 = 8,
    ONLY_LEVEL_2 = 16,
    NOT_LEVEL_2 = 32,
    ONLY_LEVEL_1 = 64,
    SECOND_ON_MAIN_STACK = 128, /* a thread on the main stack enters where an unprivileged partition was interrupted */
};

struct test {
    const char *name;
    bool (*run)(const struct test *test);
    enum spm_cause expected; /* NONE: the test returns true; else the system panics with this */
    enum needs needs;
    psa_handle_t handle; /* for request_alone() */
    int32_t type;
};

#define CHECK(condition)          \
    do {                          \
        if (!(condition)) {       \
            check_failed = __LINE__; \
            return false;         \
        }                         \
    } while (0)

extern uint32_t check_failed;

/* Calls `type` of `handle` with a word each way; a test that expects a panic needs no more. */
bool request_alone(const struct test *test);

psa_status_t request(psa_handle_t handle, int32_t type, uint32_t in, uint32_t *out);

extern const struct test client_tests[];
extern const uint32_t client_test_count;
extern const struct test partition_tests[];
extern const uint32_t partition_test_count;
extern const struct test isolation_tests[];
extern const uint32_t isolation_test_count;
extern const struct test pointer_tests[];
extern const uint32_t pointer_test_count;
extern const struct test thread_tests[];
extern const uint32_t thread_test_count;
extern const struct test mapping_tests[];
extern const uint32_t mapping_test_count;
extern const struct test mask_tests[];
extern const uint32_t mask_test_count;
extern const struct test record_tests[];
extern const uint32_t record_test_count;

/* After a panic: is it the one that the test expects, and does the record tell what it should of it? */
bool is_told(const struct test *test);

#endif
