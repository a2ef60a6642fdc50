/* SPDX-License-Identifier: BSD-3-Clause */
#include "calibrate.h"

#include <errno.h>
#include <stddef.h>

#include "clock.h"

#define NULL_ROUNDS 255U
#define NOT_INTERRUPTED 20U /* one in so many readings with nothing between them may have been interrupted */
#define RATE_ROUNDS 15U
#define RATE_NS 200000U
#define LEAST_TICKS 4U /* what the system counter must show more of than without a call */
#define KEPT_RUNNING 0.5 /* of a call: a cycle counter that saw as much runs on in the firmware */

const char *blind_word(enum blind blind)
{
    static const char *const words[] = {
        [BLIND_NOT] = "none",
        [BLIND_ARCHITECTURE] = "architecture",
        [BLIND_NO_PMU] = "no_pmu",
        [BLIND_NOT_PERMITTED] = "not_permitted",
        [BLIND_COUNTERS_TAKEN] = "counters_taken",
        [BLIND_SILENT] = "silent",
        [BLIND_NO_CALL] = "no_call",
        [BLIND_NOTHING_SEEN] = "nothing_seen",
    };

    return words[blind];
}

static enum blind why_of_errno(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return BLIND_NOT_PERMITTED;
    case ENOSPC:
    case EBUSY:
    case EINVAL: /* the group does not fit into the counters that there are */
        return BLIND_COUNTERS_TAKEN;
    default:
        return BLIND_NO_PMU;
    }
}

/* How far each clock got between two readings, and what the longer of them took. */
struct step {
    double ticks;
    double cycles;
    double events;
    double width_ticks;
};

static double width_of(const struct reading *reading)
{
    return (double)(reading->after_ticks - reading->before_ticks);
}

static double longer(double left, double right)
{
    return left > right ? left : right;
}

static struct step step_between(const struct reading *first, const struct reading *second)
{
    return (struct step){
        .ticks = (double)(second->before_ticks - first->before_ticks),
        .cycles = (double)(second->cycles - first->cycles),
        .events = (double)(second->events - first->events),
        .width_ticks = longer(width_of(first), width_of(second)),
    };
}

static int step_over(const struct counters *counters, bool (*what)(void), struct step *step)
{
    struct reading first;
    struct reading second;
    int error = counters_read(counters, &first);

    if (error != 0) {
        return error;
    }
    if (what != NULL && !what()) {
        return EIO;
    }
    error = counters_read(counters, &second);
    *step = step_between(&first, &second);
    return error;
}

static bool spin(void)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + RATE_NS;

    while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
    }
    return true;
}

static int find_rate(const struct counters *counters, struct meter_rules *rules)
{
    double rates[RATE_ROUNDS];

    for (unsigned i = 0; i < RATE_ROUNDS; i++) {
        struct step step;
        int error = step_over(counters, spin, &step);

        if (error != 0) {
            return error;
        }
        rates[i] = step.ticks > 0 ? step.events / step.ticks : 0;
    }
    rules->cycles_per_tick = meter_median(rates, RATE_ROUNDS);
    return 0;
}

/* Nothing is ever given back to a CPU: how far the cycle counter seems to fall behind is how much two readings scatter. Readings that a
 * hypervisor or an interrupt tore are longer, and say nothing of it. */
static uint64_t scatter_of(const struct step *steps, uint64_t width_ticks)
{
    double lowest_cycles = 0;

    for (unsigned i = 0; i < NULL_ROUNDS; i++) {
        double lead_cycles = steps[i].cycles - steps[i].events;

        if (!meter_long(width_ticks, (uint64_t)steps[i].width_ticks, METER_STRICT) && lead_cycles < lowest_cycles) {
            lowest_cycles = lead_cycles;
        }
    }
    return (uint64_t)-lowest_cycles;
}

static int find_noise(const struct counters *counters, struct meter_rules *rules)
{
    struct step steps[NULL_ROUNDS];
    double widths[NULL_ROUNDS];
    double leads_ns[NULL_ROUNDS];

    for (unsigned i = 0; i < NULL_ROUNDS; i++) {
        int error = step_over(counters, NULL, &steps[i]);

        if (error != 0) {
            return error;
        }
        leads_ns[i] = (steps[i].ticks - steps[i].events / rules->cycles_per_tick) * NS_PER_SECOND / rules->counter_hz;
        widths[i] = steps[i].width_ticks;
    }
    rules->width_ticks = (uint64_t)meter_median(widths, NULL_ROUNDS);
    rules->noise_cycles = scatter_of(steps, rules->width_ticks);
    meter_median(leads_ns, NULL_ROUNDS);
    double low_ns = leads_ns[NULL_ROUNDS / NOT_INTERRUPTED];

    rules->noise_ns = LEAST_TICKS * NS_PER_SECOND / rules->counter_hz + (low_ns < 0 ? -2.0 * low_ns : 0);
    return 0;
}

static int find_regime(const struct counters *counters, struct calibration *result)
{
    struct meter_rules *rules = &result->rules;
    double marks[CALIBRATION_CALLS];
    double by_events[CALIBRATION_CALLS];
    double by_cycles[CALIBRATION_CALLS];

    for (unsigned i = 0; i < CALIBRATION_CALLS; i++) {
        struct step step;
        int error = step_over(counters, result->call->call, &step);

        if (error != 0) {
            return error;
        }
        marks[i] = step.cycles - step.events;
        by_events[i] = (step.ticks - step.events / rules->cycles_per_tick) * NS_PER_SECOND / rules->counter_hz;
        by_cycles[i] = (step.ticks - step.cycles / rules->cycles_per_tick) * NS_PER_SECOND / rules->counter_hz;
    }
    double stopped_ns = meter_median(by_cycles, CALIBRATION_CALLS);

    result->call_mark_cycles = meter_median(marks, CALIBRATION_CALLS);
    result->call_ns = meter_median(by_events, CALIBRATION_CALLS);
    if (result->call_mark_cycles > (double)rules->noise_cycles) {
        double mark_ns = result->call_mark_cycles / rules->cycles_per_tick * NS_PER_SECOND / rules->counter_hz;
        bool runs = mark_ns >= KEPT_RUNNING * (mark_ns + stopped_ns);

        rules->regime = runs ? REGIME_RUNS : REGIME_STOPS;
        result->call_ns = runs ? mark_ns : result->call_ns;
    } else if (result->call_ns > rules->noise_ns) {
        rules->regime = REGIME_UNMARKED;
    } else {
        result->blind = BLIND_NOTHING_SEEN;
    }
    return 0;
}

static void look(struct calibration *result, const struct counters *counters)
{
    int error = find_rate(counters, &result->rules);

    if (error == 0 && !(result->rules.cycles_per_tick > 0)) {
        result->blind = BLIND_SILENT;
        return;
    }
    error = error != 0 ? error : find_noise(counters, &result->rules);
    if (error != 0) {
        result->blind = BLIND_COUNTERS_TAKEN;
        result->error = error;
        return;
    }
    result->call = firmware_call_here();
    if (result->call == NULL) {
        result->blind = BLIND_NO_CALL;
        return;
    }
    error = find_regime(counters, result);
    if (error != 0) {
        result->blind = error == EIO ? BLIND_NO_CALL : BLIND_COUNTERS_TAKEN;
        result->error = error;
    }
}

void calibrate(struct calibration *result, struct counters *counters, unsigned cpu)
{
    *result = (struct calibration){ .rules = { .regime = REGIME_BLIND, .counter_hz = (double)counter_hz() } };
    *counters = (struct counters){ -1, -1 };
    if (counter_hz() == 0) {
        result->blind = BLIND_ARCHITECTURE;
        return;
    }
    int error = counters_open(counters, cpu);

    if (error != 0) {
        result->blind = why_of_errno(error);
        result->error = error;
        return;
    }
    look(result, counters);
    if (result->blind != BLIND_NOT) {
        counters_close(counters);
    }
}
