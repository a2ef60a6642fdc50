/* SPDX-License-Identifier: BSD-3-Clause */
#include "meter.h"

#include <stdlib.h>
#include <string.h>

#define TICKS_OF_ROUNDING 2U

static int by_size(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

double meter_median(double *values, unsigned count)
{
    qsort(values, count, sizeof(values[0]), by_size);
    return values[count / 2U];
}

void meter_begin(struct meter *meter, const struct meter_rules *rules, const struct reading *first)
{
    memset(meter, 0, sizeof(*meter));
    meter->rules = *rules;
    meter->last = *first;
    for (unsigned i = 0; i < RATES_KEPT; i++) {
        meter->rates[i] = rules->cycles_per_tick;
    }
}

bool meter_long(uint64_t usual_ticks, uint64_t ticks, enum meter_slack slack)
{
    return ticks > usual_ticks + usual_ticks * (uint64_t)slack / 4U + TICKS_OF_ROUNDING;
}

bool meter_torn(const struct meter_rules *rules, const struct reading *reading, enum meter_slack slack)
{
    return rules->regime != REGIME_RUNS && meter_long(rules->width_ticks, reading->after_ticks - reading->before_ticks, slack);
}

static double ns_of_ticks(const struct meter_rules *rules, double ticks)
{
    return ticks * NS_PER_SECOND / rules->counter_hz;
}

/* The median of the last windows: one that an overflow of the counters interrupted does not move it, a new clock does. */
static double current_rate(const struct meter *meter)
{
    double sorted[RATES_KEPT];

    memcpy(sorted, meter->rates, sizeof(sorted));
    return meter_median(sorted, RATES_KEPT);
}

static void learn_rate(struct meter *meter, double cycles, double ticks)
{
    if (ticks > 0 && cycles > 0) {
        meter->rates[meter->next_rate++ % RATES_KEPT] = cycles / ticks;
    }
}

static int64_t mark_between(const struct reading *first, const struct reading *second)
{
    return (int64_t)((second->cycles - first->cycles) - (second->events - first->events));
}

bool meter_apart(const struct meter_rules *rules, const struct reading *first, const struct reading *second)
{
    int64_t mark = mark_between(first, second);

    return (mark < 0 ? -mark : mark) > (int64_t)rules->noise_cycles;
}

bool meter_window(struct meter *meter, const struct reading *reading, struct theft *theft)
{
    const struct meter_rules *rules = &meter->rules;
    int64_t mark = mark_between(&meter->last, reading);
    double ticks = (double)(reading->before_ticks - meter->last.before_ticks);
    double events = (double)(reading->events - meter->last.events);
    double stopped_ns = ns_of_ticks(rules, ticks - events / current_rate(meter));
    bool marked = rules->regime == REGIME_UNMARKED ? stopped_ns > rules->noise_ns : mark > (int64_t)rules->noise_cycles;
    double stolen_ns = rules->regime == REGIME_RUNS ? ns_of_ticks(rules, (double)mark / rules->cycles_per_tick) : stopped_ns;

    *theft = (struct theft){ meter->last.before_ticks, reading->before_ticks, marked && stolen_ns > 0 ? (uint64_t)(stolen_ns + 0.5) : 0, mark };
    if (mark < meter->lowest_mark_cycles) {
        meter->lowest_mark_cycles = mark;
    }
    if (marked) {
        histogram_add(&meter->histogram, theft->stolen_ns);
    } else {
        learn_rate(meter, events, ticks);
    }
    meter->last = *reading;
    return marked;
}

void meter_add(struct meter_sums *sums, const struct theft *theft, bool marked)
{
    sums->measured_ticks += theft->end_ticks - theft->begin_ticks;
    sums->windows++;
    sums->marked += marked;
    sums->stolen_ns += theft->stolen_ns;
    if (theft->stolen_ns > sums->worst_ns) {
        sums->worst_ns = theft->stolen_ns;
    }
}
