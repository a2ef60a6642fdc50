/* SPDX-License-Identifier: BSD-3-Clause */
/* As little as these tests need: count, say what broke and where, fail at the end. */
#ifndef PAYLOAD_TESTS_CHECK_H
#define PAYLOAD_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            check_failures++;                                                                                                    \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                            \
        }                                                                                                                        \
    } while (0)

#define CHECK_TEXT(expected, got)                                                                                                \
    do {                                                                                                                         \
        const char *check_expected = (expected), *check_got = (got);                                                             \
        if (strcmp(check_expected, check_got) != 0) {                                                                            \
            check_failures++;                                                                                                    \
            fprintf(stderr, "%s:%d: expected \"%s\", got \"%s\"\n", __FILE__, __LINE__, check_expected, check_got);              \
        }                                                                                                                        \
    } while (0)

#define RUN(test)                                                                                                                \
    do {                                                                                                                         \
        int before = check_failures;                                                                                             \
        test();                                                                                                                  \
        printf("%s %s\n", check_failures == before ? "ok" : "FAILED", #test);                                                    \
    } while (0)

#endif
