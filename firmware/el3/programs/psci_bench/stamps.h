/* SPDX-License-Identifier: BSD-3-Clause */
/* PMF's runtime instrumentation: the six time stamps that the firmware keeps for a core, and the figures made from them. */
#ifndef PSCI_BENCH_STAMPS_H
#define PSCI_BENCH_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

enum stamp {
    STAMP_ENTER_PSCI,
    STAMP_EXIT_PSCI,
    STAMP_ENTER_HW_LOW_PWR,
    STAMP_EXIT_HW_LOW_PWR,
    STAMP_ENTER_CFLUSH,
    STAMP_EXIT_CFLUSH,
    STAMP_COUNT
};

struct stamps {
    uint64_t ticks[STAMP_COUNT];
};

struct power_figures {
    uint64_t powerdown_ns;
    uint64_t wakeup_ns;
    uint64_t cache_flush_ns;
};

/* Both want stamps that were taken between `start_ticks` and `end_ticks`, in the order in which a power-down takes them. */
bool stamps_are_in_order_power(const struct stamps *stamps, uint64_t start_ticks, uint64_t end_ticks);
bool stamps_are_in_order_call(const struct stamps *stamps, uint64_t start_ticks, uint64_t end_ticks);

/* Of stamps that are in order; rounded to the nearest nanosecond. A call without a flush has a flush of 0. */
struct power_figures stamps_power_figures(const struct stamps *stamps, uint64_t clock_hz);
uint64_t stamps_call_ns(const struct stamps *stamps, uint64_t clock_hz);

#endif
