/* SPDX-License-Identifier: BSD-3-Clause */
#include "profiler.h"

#include "counter.h"

struct trace_ring profiler_ring;
static struct trace_record records[TRACE_RECORDS];
const volatile uint32_t *profiler_counter;
uint32_t profiler_counter_invert;

static uint32_t counter_mask;
static struct profiler_statistics calibrations[PROFILER_CALIBRATIONS];

bool profiler_init(void)
{
    const struct counter *counter = counter_select();

    if (counter == NULL) {
        return false;
    }
    profiler_counter = counter->value;
    profiler_counter_invert = counter->down ? counter->mask : 0U;
    counter_mask = counter->mask;
    trace_init(&profiler_ring, records, TRACE_CAPACITY);
    return true;
}

void profiler_statistics_add(struct profiler_statistics *statistics, int64_t ticks)
{
    if (statistics->count == 0U || ticks < statistics->min_ticks) {
        statistics->min_ticks = ticks;
    }
    if (statistics->count == 0U || ticks > statistics->max_ticks) {
        statistics->max_ticks = ticks;
    }
    statistics->sum_ticks += ticks;
    statistics->count++;
}

/* Rounded to the nearest tick, halves away from zero. */
int64_t profiler_mean_ticks(const struct profiler_statistics *statistics)
{
    int64_t count = (int64_t)statistics->count;

    if (count == 0) {
        return 0;
    }
    return (statistics->sum_ticks + (statistics->sum_ticks < 0 ? -count : count) / 2) / count;
}

/* The counter is narrower than the time: one step forward of less than a lap is what two neighbours can be apart. */
static uint64_t unwrap(uint64_t previous, uint64_t raw)
{
    return previous + (((uint32_t)raw - (uint32_t)previous) & counter_mask);
}

struct profiler_fetched profiler_fetch(uint32_t topic, uint64_t from, struct profiler_record *out, uint32_t room)
{
    struct trace_status status = trace_status(&profiler_ring);
    struct profiler_fetched fetched = { .lost = from < status.oldest ? (uint32_t)(status.oldest - from) : 0U };
    uint64_t time_ticks = 0;
    uint64_t sequence = status.oldest;

    for (; sequence < status.next && fetched.count < room; sequence++) {
        struct trace_record record;

        if (trace_read(&profiler_ring, sequence, &record, 1) != 1) {
            break;
        }
        time_ticks = sequence == status.oldest ? record.time_ticks : unwrap(time_ticks, record.time_ticks);
        if (sequence >= from && profiler_topic(record.event_arg >> 16) == topic) {
            out[fetched.count++] =
                (struct profiler_record){ .sequence = sequence, .time_ticks = time_ticks, .tag = record.event_arg >> 16 };
        }
    }
    fetched.next = sequence > from ? sequence : from;
    return fetched;
}

const struct profiler_statistics *profiler_calibration(uint32_t index)
{
    return index < PROFILER_CALIBRATIONS ? &calibrations[index] : NULL;
}

int64_t profiler_difference(const struct profiler_record *begin, const struct profiler_record *end)
{
    uint32_t index = profiler_calibration_of(begin->tag);
    int64_t cost = index < PROFILER_CALIBRATIONS ? profiler_mean_ticks(&calibrations[index]) : 0;

    return (int64_t)(end->time_ticks - begin->time_ticks) - cost;
}

static void neighbouring_pair(void)
{
    profiler_checkpoint(PROFILER_TAG(0, PROFILER_CALIBRATION_TOPIC, 0, PROFILER_BEGIN));
    profiler_checkpoint(PROFILER_TAG(1, PROFILER_CALIBRATION_TOPIC, 0, PROFILER_END));
}

static void calibrate_once(struct profiler_statistics *statistics, void (*pair)(void))
{
    uint64_t from = trace_status(&profiler_ring).next;
    struct profiler_record records[2];

    pair();
    if (profiler_fetch(PROFILER_CALIBRATION_TOPIC, from, records, 2).count == 2U) {
        profiler_statistics_add(statistics, (int64_t)(records[1].time_ticks - records[0].time_ticks));
    }
    profiler_settle();
}

void profiler_calibrate(uint32_t index, uint32_t rounds, void (*pair)(void))
{
    if (index >= PROFILER_CALIBRATIONS) {
        return;
    }
    calibrations[index] = (struct profiler_statistics){ 0 };
    for (uint32_t i = 0; i < rounds; i++) {
        calibrate_once(&calibrations[index], pair != NULL ? pair : neighbouring_pair);
    }
}
