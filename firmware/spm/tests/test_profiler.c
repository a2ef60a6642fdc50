/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiler on a counter that the test turns. */
#include "profiler.h"

#include <stdio.h>

#include "harness.h"
#include "counter.h"

static volatile uint32_t absent_value, narrow_value;
static bool narrow_runs;

static bool start_absent(void)
{
    return true;
}

static bool start_none(void)
{
    return false;
}

static bool start_narrow(void)
{
    narrow_runs = true;
    return true;
}

static const struct counter none = { "none", &absent_value, 0xFFFFFFFFU, false, start_none };
static const struct counter constant = { "reads as zero", &absent_value, 0xFFFFFFFFU, false, start_absent };
static const struct counter narrow = { "24 bits, down", &narrow_value, 0x00FFFFFFU, true, start_narrow };
const struct counter *const counters[] = { &none, &constant, &narrow };
const uint32_t counter_count = 3;

/* Stands for the hardware: a counter that runs moves between two looks. */
uint32_t counter_look(const struct counter *counter)
{
    if (counter == &narrow && narrow_runs) {
        narrow_value = (narrow_value - 1U) & 0x00FFFFFFU;
    }
    return *counter->value;
}

static void set_time(uint32_t ticks)
{
    narrow_value = (0x00FFFFFFU - ticks) & 0x00FFFFFFU;
}

static void point(uint32_t ticks, uint32_t checkpoint, uint32_t topic)
{
    set_time(ticks);
    profiler_checkpoint(PROFILER_TAG(checkpoint, topic, 0, PROFILER_POINT));
    profiler_settle();
}

TEST(a_counter_that_is_absent_or_constant_is_passed_over)
{
    CHECK(counter_select() == &narrow);
}

TEST(a_wrap_is_a_step_forward)
{
    struct profiler_record records[3];

    profiler_init();
    point(0x00FFFFF0U, 1, 5);
    point(0x10U, 2, 5);
    point(0x00FFFFFFU, 3, 5);
    CHECK(profiler_fetch(5, 0, records, 3).count == 3U);
    CHECK(profiler_difference(&records[0], &records[1]) == 0x20);
    CHECK(profiler_difference(&records[1], &records[2]) == 0xFFFFEF);
    CHECK(profiler_difference(&records[1], &records[0]) == -0x20);
}

TEST(records_are_filtered_by_topic)
{
    struct profiler_record records[4];
    struct profiler_fetched fetched;

    profiler_init();
    for (uint32_t i = 0; i < 10U; i++) {
        point(i, i, i % 2U);
    }
    fetched = profiler_fetch(1, 4, records, 4);
    CHECK(fetched.count == 3U && fetched.lost == 0U && fetched.next == 10U);
    CHECK(records[0].sequence == 5U && records[2].sequence == 9U);
    fetched = profiler_fetch(1, 0, records, 2);
    CHECK(fetched.count == 2U && fetched.next == 4U);
}

TEST(what_was_overwritten_is_counted)
{
    struct profiler_record record;
    struct profiler_fetched fetched;

    profiler_init();
    for (uint32_t i = 0; i < 3U * TRACE_CAPACITY; i++) {
        point(i, 0, 1);
    }
    fetched = profiler_fetch(1, 0, &record, 1);
    CHECK(fetched.lost > TRACE_CAPACITY && record.sequence == fetched.lost);
}

static void pair_of_seven(void)
{
    set_time(100);
    profiler_checkpoint(PROFILER_TAG(0, PROFILER_CALIBRATION_TOPIC, 0, PROFILER_BEGIN));
    set_time(107);
    profiler_checkpoint(PROFILER_TAG(1, PROFILER_CALIBRATION_TOPIC, 0, PROFILER_END));
}

TEST(a_calibration_is_taken_off_and_can_be_reset)
{
    struct profiler_record begin = { .time_ticks = 1000, .tag = PROFILER_TAG(0, 1, 2, PROFILER_BEGIN) };
    struct profiler_record end = { .time_ticks = 1050, .tag = PROFILER_TAG(1, 1, 2, PROFILER_END) };

    profiler_init();
    profiler_calibrate(2, 50, pair_of_seven);
    CHECK(profiler_calibration(2)->count == 50U && profiler_calibration(2)->min_ticks == 7 && profiler_calibration(2)->max_ticks == 7);
    CHECK(profiler_difference(&begin, &end) == 43);
    profiler_calibrate(2, 0, pair_of_seven);
    CHECK(profiler_calibration(2)->count == 0U && profiler_difference(&begin, &end) == 50);
    CHECK(profiler_calibration(PROFILER_CALIBRATIONS) == NULL);
}

TEST(sums_do_not_overflow)
{
    struct profiler_statistics statistics = { 0 };

    for (uint32_t i = 0; i < 4U; i++) {
        profiler_statistics_add(&statistics, 0x7FFFFFFF);
    }
    CHECK(profiler_mean_ticks(&statistics) == 0x7FFFFFFF);
}
