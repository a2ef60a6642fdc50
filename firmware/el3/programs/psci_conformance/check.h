/* SPDX-License-Identifier: BSD-3-Clause */
/* One line a case, and the totals. A name says what the firmware is to do. */
#ifndef PSCI_CONFORMANCE_CHECK_H
#define PSCI_CONFORMANCE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct check_totals {
    uint64_t passed;
    uint64_t failed;
};

struct check_totals check_totals(void);
void check_restore_totals(struct check_totals totals);

void check_equal(const char *name, int64_t expected, int64_t got);
void check_true(const char *name, bool holds, const char *expected, int64_t got);

/* x0 of a call, sign-extended from w0 where it is a 32-bit call. */
int64_t call(uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3);
/* Makes the call and compares what it returns. */
void check_call(const char *name, int64_t expected, uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3);
/* Also compares the state of every core, and the counts of its power states, before and after. */
void check_refused(const char *name, int64_t expected, uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3);
/* Also compares x4 to x30, SP and DAIF before and after. `function` is all of x0. */
void check_preserving(const char *name, int64_t expected, uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3);

#endif
