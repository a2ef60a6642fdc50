/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <inttypes.h>

#define LINE "LLST1 "

static const char *regime_word(enum regime regime)
{
    static const char *const words[] = {
        [REGIME_BLIND] = "no",
        [REGIME_RUNS] = "runs",
        [REGIME_STOPS] = "stops",
        [REGIME_UNMARKED] = "unmarked",
    };

    return words[regime];
}

void output_head(FILE *file, const struct run_facts *facts)
{
    fprintf(file,
            LINE "HEAD version=1 machine=%s counter_hz=%" PRIu64 " interval_ns=%" PRIu64 " threshold_ns=%" PRIu64 " duration_ns=%" PRIu64
                 " start_ns=%" PRIu64 " start_ticks=%" PRIu64 " priority=%d\n",
            facts->machine, facts->counter_hz, facts->interval_ns, facts->threshold_ns, facts->duration_ns, facts->start_ns, facts->start_ticks,
            facts->priority);
}

void output_cpu(FILE *file, unsigned cpu, const struct calibration *found)
{
    const struct meter_rules *rules = &found->rules;
    const char *call = found->call == NULL ? "none" : found->call->name;

    if (found->blind != BLIND_NOT) {
        fprintf(file, LINE "CPU cpu=%u sees=no why=%s call=%s errno=%d\n", cpu, blind_word(found->blind), call, found->error);
        return;
    }
    fprintf(file,
            LINE "CPU cpu=%u sees=%s call=%s calls=%u call_ns=%.1f call_mark_cycles=%.1f noise_cycles=%" PRIu64 " noise_ns=%.1f cycle_hz=%.0f\n",
            cpu, regime_word(rules->regime), call, CALIBRATION_CALLS, found->call_ns, found->call_mark_cycles, rules->noise_cycles,
            rules->noise_ns, rules->cycles_per_tick * rules->counter_hz);
}

void output_second(FILE *file, unsigned cpu, uint64_t second, const struct meter_sums *sums, double cycles_per_tick)
{
    fprintf(file,
            LINE "SECOND cpu=%u second=%" PRIu64 " measured_ticks=%" PRIu64 " windows=%" PRIu64 " marked=%" PRIu64 " stolen_ns=%" PRIu64
                 " worst_ns=%" PRIu64 " cycles_per_tick=%.4f\n",
            cpu, second, sums->measured_ticks, sums->windows, sums->marked, sums->stolen_ns, sums->worst_ns, cycles_per_tick);
}

void output_theft(FILE *file, unsigned cpu, const struct theft *theft)
{
    fprintf(file, LINE "THEFT cpu=%u begin_ticks=%" PRIu64 " end_ticks=%" PRIu64 " stolen_ns=%" PRIu64 " mark_cycles=%" PRId64 "\n", cpu,
            theft->begin_ticks, theft->end_ticks, theft->stolen_ns, theft->mark_cycles);
}

void output_counts(FILE *file, unsigned cpu, const struct meter *meter)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        if (meter->histogram.counts[bucket] != 0) {
            fprintf(file, LINE "COUNT cpu=%u low_ns=%" PRIu64 " below_ns=%" PRIu64 " windows=%" PRIu64 "\n", cpu, histogram_lowest_ns(bucket),
                    bucket + 1U < HISTOGRAM_BUCKETS ? histogram_lowest_ns(bucket + 1U) : UINT64_MAX, meter->histogram.counts[bucket]);
        }
    }
}

void output_end_of_cpu(FILE *file, unsigned cpu, const struct meter *meter, uint64_t dropped, uint64_t own_ns, bool went_off)
{
    fprintf(file, LINE "SUM cpu=%u torn=%" PRIu64 " dropped=%" PRIu64 " lowest_mark_cycles=%" PRId64 " own_ns=%" PRIu64 " went_off=%u\n",
            cpu, meter->torn, dropped, meter->lowest_mark_cycles, own_ns, (unsigned)went_off);
}

void output_end(FILE *file)
{
    fputs(LINE "END\n", file);
}
