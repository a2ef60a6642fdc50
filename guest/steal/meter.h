/* SPDX-License-Identifier: BSD-3-Clause */
/* What was taken of a CPU between two readings of its counters: pure, so that any machine can test it (docs/howto/steal.md). */
#ifndef METER_H
#define METER_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "histogram.h"

#define RATES_KEPT 5U
#define NS_PER_SECOND 1000000000.0

/* How a CPU shows that its firmware ran, as calibration found it. */
enum regime {
    REGIME_BLIND,
    REGIME_RUNS,     /* the cycle counter runs on in the firmware: its lead over the event counter is the time */
    REGIME_STOPS,    /* the firmware stops both: the time is what the system counter leads by, and a small lead marks each entry */
    REGIME_UNMARKED, /* both stop at once: the system counter alone shows it, and nothing marks the entry */
};

/* `width_ticks` is what a reading takes that nothing interrupts; `noise_ns` counts in the regime without marks, `noise_cycles` in the others. */
struct meter_rules {
    enum regime regime;
    double counter_hz;
    double cycles_per_tick;
    uint64_t width_ticks;
    uint64_t noise_cycles;
    double noise_ns;
};

/* Whether a sleep of the CPU, which stops its counters, would look like a theft. */
static inline bool needs_awake(const struct meter_rules *rules)
{
    return rules->regime == REGIME_STOPS || rules->regime == REGIME_UNMARKED;
}

struct meter_sums {
    uint64_t measured_ticks;
    uint64_t windows;
    uint64_t marked;
    uint64_t stolen_ns;
    uint64_t worst_ns;
};

/* What one window showed. `mark_cycles` is how far the cycle counter got ahead. */
struct theft {
    uint64_t begin_ticks;
    uint64_t end_ticks;
    uint64_t stolen_ns;
    int64_t mark_cycles;
};

struct meter {
    struct meter_rules rules;
    struct reading last;
    double rates[RATES_KEPT]; /* cycles per tick of windows in which nothing was taken, the oldest overwritten */
    unsigned next_rate;
    int64_t lowest_mark_cycles;
    uint64_t torn;
    struct histogram histogram; /* of windows in which something was taken */
};

/* `first` is where the first window begins. */
void meter_begin(struct meter *meter, const struct meter_rules *rules, const struct reading *first);

/* By how many quarters a reading may be longer than one that nothing interrupts: as it should be, and as it may be where no better is had. */
enum meter_slack { METER_STRICT = 1, METER_LENIENT = 4 };

bool meter_long(uint64_t usual_ticks, uint64_t ticks, enum meter_slack slack);

/* Whether something came between the clocks of a reading, so that it must be taken again. Never where the system counter does not count. */
bool meter_torn(const struct meter_rules *rules, const struct reading *reading, enum meter_slack slack);

/*
 * Whether the two counters moved apart from one reading to another. What was taken stays apart, so a third reading agrees with the second. It
 * does not where an overflow interrupt of one counter fell into the reading, which brings only that one up to date, nor where a hypervisor
 * took the CPU between the two.
 */
bool meter_apart(const struct meter_rules *rules, const struct reading *first, const struct reading *second);

/* Ends a window and begins the next. True where something was taken in it; `theft` is filled in either way. */
bool meter_window(struct meter *meter, const struct reading *reading, struct theft *theft);

void meter_add(struct meter_sums *sums, const struct theft *theft, bool marked);

/* Sorts `count` values, which is not 0, and says the median. */
double meter_median(double *values, unsigned count);

#endif
