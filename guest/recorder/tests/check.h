/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what broke and where; a test program fails if anything did. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            failures++;                                                               \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                             \
    } while (0)

#endif
