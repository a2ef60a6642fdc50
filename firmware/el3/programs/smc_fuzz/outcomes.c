/* SPDX-License-Identifier: BSD-3-Clause */
#include "outcomes.h"

#include "console.h"

#define LOWEST_ERROR 9

static const char *const error_names[LOWEST_ERROR + 1] = { "SUCCESS",    "NOT_SUPPORTED",  "INVALID_PARAMETERS", "DENIED",
                                                           "ALREADY_ON", "ON_PENDING",     "INTERNAL_FAILURE",   "NOT_PRESENT",
                                                           "DISABLED",   "INVALID_ADDRESS" };

static uint64_t errors[LOWEST_ERROR + 1];
static uint64_t other_errors, values, resumes;

void outcomes_count(uint64_t x0)
{
    int32_t status = (int32_t)x0;

    if (status > 0) {
        values++;
    } else if (status >= -LOWEST_ERROR) {
        errors[-status]++;
    } else {
        other_errors++;
    }
}

void outcomes_count_resume(void)
{
    resumes++;
}

void outcomes_print(void)
{
    for (int i = 0; i <= LOWEST_ERROR; i++) {
        console_line("returned %d %s: %lu", -i, error_names[i], errors[i]);
    }
    console_line("returned a positive value: %lu", values);
    console_line("returned another negative value: %lu", other_errors);
    console_line("resumed at the entry point: %lu", resumes);
}
