/* SPDX-License-Identifier: BSD-3-Clause */
/* The drop-in profiler's store, on a counter that the test turns. */
#include "harness.h"
#include "prof_hal.h"
#include "prof_intf_s.h"

static uint32_t now;
static uint32_t step;
static bool has_counter;

bool prof_hal_init(void)
{
    return has_counter;
}

uint32_t prof_hal_get_count(void)
{
    return now += step;
}

void harness_before_each(void)
{
    now = 0;
    step = 0;
    has_counter = true;
    CHECK(prof_init());
}

static void at(uint32_t count, uint32_t checkpoint, uint32_t topic)
{
    now = count;
    PROF_TIMING_LOG(checkpoint, topic);
}

TEST(a_platform_without_a_counter_is_told)
{
    has_counter = false;
    CHECK(!PROFILING_INIT());
}

TEST(differences_are_of_a_checkpoint_and_the_next_of_the_other)
{
    at(100, 1, 7);
    at(150, 2, 7);
    at(200, 1, 7);
    at(230, 2, 7);
    at(231, 2, 7); /* an end without a beginning */
    at(300, 1, 7);
    at(400, 1, 7); /* the one before has lost its end */
    at(411, 2, 7);
    CHECK(PROF_DATA_DIFF(1, 7, 2, 7) == 50U && PROF_DATA_DIFF_MIN(1, 7, 2, 7) == 11U && PROF_DATA_DIFF_MAX(1, 7, 2, 7) == 50U);
    CHECK(PROF_DATA_DIFF_AVG(1, 7, 2, 7) == 30U); /* 91 in 3 */
    CHECK(PROF_DATA_DIFF(2, 7, 1, 7) == 50U);
}

TEST(where_there_is_no_pair_the_answers_say_so)
{
    at(100, 1, 7);
    at(150, 2, 8);
    CHECK(PROF_DATA_DIFF(1, 7, 2, 7) == 0U && PROF_DATA_DIFF_AVG(1, 7, 2, 7) == 0U);
    CHECK(PROF_DATA_DIFF_MIN(1, 7, 2, 7) == UINT32_MAX && PROF_DATA_DIFF_MAX(1, 7, 2, 7) == 0U);
}

TEST(a_counter_that_goes_round_does_no_harm)
{
    at(0xFFFFFFF0U, 1, 0);
    at(0x10U, 2, 0);
    CHECK(PROF_DATA_DIFF(1, 0, 2, 0) == 0x20U);
}

TEST(sums_beyond_32_bits_are_whole)
{
    for (uint32_t i = 0; i < 4U; i++) {
        at(0, 1, 0);
        at(0xF0000000U + i, 2, 0);
    }
    CHECK(PROF_DATA_DIFF_AVG(1, 0, 2, 0) == 0xF0000002U);
}

TEST(a_span_may_begin_in_one_world_and_end_in_the_other)
{
    prof_ns_set_cali_value(3);
    prof_calibrate(PROF_CALI_IDX_S, 0, 5);
    now = 100;
    prof_timing_cp(PROF_LOG_TAG(1, 0, PROF_CALI_IDX_NS));
    at(160, 2, 0);
    now = 200;
    prof_timing_cp(PROF_LOG_TAG(3, 0, PROF_CALI_IDX_NS));
    CHECK(PROF_DATA_DIFF(1, 0, 2, 0) == 55U && PROF_DATA_DIFF(2, 0, 3, 0) == 37U);
}

/* In an image this is a veneer. */
void prof_ns_set_cali_value(uint32_t value)
{
    prof_calibrate(PROF_CALI_IDX_NS, 0, value);
}

TEST(a_calibration_is_the_least_of_its_rounds)
{
    step = 9;
    PROF_DO_CALIBRATE(50);
    CHECK(PROF_GET_CALI_VALUE_FROM_TAG(PROF_LOG_TAG(0, 0, PROF_CALI_IDX_S)) == 9U);
    step = 0;
    at(100, 1, 0);
    at(105, 2, 0);
    CHECK(PROF_DATA_DIFF(1, 0, 2, 0) == 0U);
    PROF_DO_CALIBRATE(0);
    CHECK(prof_get_cali_value(PROF_CALI_IDX_S) == 0U && PROF_DATA_DIFF(1, 0, 2, 0) == 5U);
    prof_calibrate(PROF_MAX_CALI_SETS, 0, 1);
    CHECK(prof_get_cali_value(PROF_MAX_CALI_SETS) == 0U);
}

TEST(a_full_store_keeps_what_it_has_and_counts_what_it_lost)
{
    for (uint32_t i = 0; i < PROF_DB_MAX + 3U; i++) {
        at(i, 1, 0);
    }
    CHECK(PROF_LOST() == 3U);

    uint32_t tag, data, count = 0, last = 0;

    for (bool more = PROF_FETCH_DATA_START(&tag, &data, 1, 0); more; more = PROF_FETCH_DATA_CONTINUE(&tag, &data, 1, 0)) {
        count++;
        last = data;
    }
    CHECK(count == PROF_DB_MAX && last == PROF_DB_MAX - 1U);
    CHECK(prof_init() && PROF_LOST() == 0U && !PROF_FETCH_DATA_START(&tag, &data, 1, 0));
}

TEST(records_are_found_by_topic_and_by_checkpoint)
{
    uint32_t tag, data;

    at(10, 1, 5);
    at(20, 2, 6);
    at(30, 3, 5);
    CHECK(PROF_FETCH_DATA_BY_TOPIC_START(&tag, &data, 5) && data == 10U && PROF_GET_CP_ID_FROM_TAG(tag) == 1U);
    CHECK(PROF_FETCH_DATA_BY_TOPIC_CONTINUE(&tag, &data, 5) && data == 30U && PROF_GET_TOPIC_ID_FROM_TAG(tag) == 5U);
    CHECK(!PROF_FETCH_DATA_BY_TOPIC_CONTINUE(&tag, &data, 5));
    CHECK(PROF_FETCH_DATA_START(&tag, &data, 2, 6) && data == 20U && !PROF_FETCH_DATA_CONTINUE(&tag, &data, 2, 6));
    CHECK(prof_get_data_start(&tag, &data, 0, 0) && data == 10U && prof_get_data_continue(&tag, &data, 0, 0) && data == 20U);
}
