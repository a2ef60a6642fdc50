/* SPDX-License-Identifier: BSD-3-Clause */
#include "stamps.h"

#define NS_PER_S 1000000000UL

/* A firmware that had nothing to flush leaves the stamps of an earlier call. */
static bool flushed(const struct stamps *stamps)
{
    return stamps->ticks[STAMP_ENTER_CFLUSH] >= stamps->ticks[STAMP_ENTER_PSCI];
}

bool stamps_are_in_order_call(const struct stamps *stamps, uint64_t start_ticks, uint64_t end_ticks)
{
    const uint64_t *t = stamps->ticks;

    return start_ticks <= t[STAMP_ENTER_PSCI] && t[STAMP_ENTER_PSCI] <= t[STAMP_EXIT_PSCI] && t[STAMP_EXIT_PSCI] <= end_ticks;
}

bool stamps_are_in_order_power(const struct stamps *stamps, uint64_t start_ticks, uint64_t end_ticks)
{
    const uint64_t *t = stamps->ticks;

    if (!stamps_are_in_order_call(stamps, start_ticks, end_ticks)) {
        return false;
    }
    if (flushed(stamps) && t[STAMP_EXIT_CFLUSH] > t[STAMP_ENTER_HW_LOW_PWR]) {
        return false;
    }
    return t[STAMP_ENTER_PSCI] <= t[STAMP_ENTER_HW_LOW_PWR] && t[STAMP_ENTER_HW_LOW_PWR] <= t[STAMP_EXIT_HW_LOW_PWR] &&
           t[STAMP_EXIT_HW_LOW_PWR] <= t[STAMP_EXIT_PSCI] && t[STAMP_ENTER_CFLUSH] <= t[STAMP_EXIT_CFLUSH];
}

static uint64_t span_ns(const struct stamps *stamps, enum stamp from, enum stamp to, uint64_t clock_hz)
{
    uint64_t ticks = stamps->ticks[to] - stamps->ticks[from];

    return (ticks * NS_PER_S + clock_hz / 2) / clock_hz;
}

struct power_figures stamps_power_figures(const struct stamps *stamps, uint64_t clock_hz)
{
    return (struct power_figures) {
        .powerdown_ns = span_ns(stamps, STAMP_ENTER_PSCI, STAMP_ENTER_HW_LOW_PWR, clock_hz),
        .wakeup_ns = span_ns(stamps, STAMP_EXIT_HW_LOW_PWR, STAMP_EXIT_PSCI, clock_hz),
        .cache_flush_ns = flushed(stamps) ? span_ns(stamps, STAMP_ENTER_CFLUSH, STAMP_EXIT_CFLUSH, clock_hz) : 0,
    };
}

uint64_t stamps_call_ns(const struct stamps *stamps, uint64_t clock_hz)
{
    return span_ns(stamps, STAMP_ENTER_PSCI, STAMP_EXIT_PSCI, clock_hz);
}
