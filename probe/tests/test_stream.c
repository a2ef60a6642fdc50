/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_needs.h"
#include "stream.h"

static char *text;
static size_t size;
static const char header[16] = "HEADER";
static const uint64_t body[2] = { 1, 2 };

static void open_in_memory(struct stream *stream, uint64_t limit)
{
    stream_open(stream, open_memstream(&text, &size), limit, header, sizeof(header));
}

static uint16_t u16(size_t at)
{
    uint16_t value;

    memcpy(&value, text + at, sizeof(value));
    return value;
}

static uint64_t u64(size_t at)
{
    uint64_t value;

    memcpy(&value, text + at, sizeof(value));
    return value;
}

static void a_record_says_its_kind_its_length_and_its_core(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 4096);
    stream_put(&stream, RECORD_CROSSING, 5, body, sizeof(body));
    assert_true(stream_close(&stream, true));
    assert_memory_equal(text, header, sizeof(header));
    assert_int_equal(u16(16), RECORD_CROSSING);
    assert_int_equal(u16(18), 24);
    assert_int_equal(u16(20), 5);
    assert_int_equal(u64(24), 1);
    assert_int_equal(u64(32), 2);
    assert_int_equal(u16(40), RECORD_END);
    assert_int_equal(u64(48), 1);
    assert_int_equal(u64(56), 0);
    assert_int_equal(size, 64);
    free(text);
}

static void bodies_are_padded_with_zeros(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 4096);
    stream_put(&stream, RECORD_FRAGMENT, 0, "abc", 3);
    stream_close(&stream, true);
    assert_int_equal(u16(18), 16);
    assert_memory_equal(text + 24, "abc\0\0\0\0\0", 8);
    free(text);
}

static void beyond_the_limit_everything_is_lost_and_counted(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 16 + 24 + 24);
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_put(&stream, RECORD_CROSSING, 0, body, 0);
    assert_true(stream_close(&stream, true));
    assert_int_equal(size, 64);
    assert_int_equal(u64(48), 1);
    assert_int_equal(u64(56), 2);
    free(text);
}

static void a_record_that_is_too_long_is_lost(void **state)
{
    static const char large[STREAM_RECORD_MAX_BYTES];
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 1 << 20);
    stream_put(&stream, RECORD_PROFILE, 0, large, sizeof(large));
    stream_close(&stream, true);
    assert_int_equal(u64(24), 0);
    assert_int_equal(u64(32), 1);
    free(text);
}

static void a_full_disk_is_told_with_what_it_cost(void **state)
{
    struct stream stream;
    FILE *full = fopen("/dev/full", "wb");

    (void)state;
    assert_non_null(full);
    stream_open(&stream, full, 4096, header, sizeof(header));
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_flush(&stream);
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    assert_false(stream_close(&stream, true));
    assert_int_equal(stream.error, ENOSPC);
    assert_int_equal(stream.lost, 1);
}

/* Behind the header: a crossing, and unless it was left out a sleep. */
static void check_end_of_closed(bool keeps_held)
{
    struct stream stream;

    open_in_memory(&stream, 4096);
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_close(&stream, keeps_held);
    assert_int_equal(u16(16), RECORD_SLEEP);
    assert_int_equal(u16(40), RECORD_CROSSING);
    assert_int_equal(size, 16 + (keeps_held ? 4 : 3) * 24);
    assert_int_equal(u16(size - 24), RECORD_END);
    assert_int_equal(u64(size - 16), keeps_held ? 3 : 2);
    assert_int_equal(u64(size - 8), 0);
    free(text);
}

static void what_follows_the_last_crossing_is_kept_if_the_caller_says_so(void **state)
{
    (void)state;
    check_end_of_closed(true);
    check_end_of_closed(false);
}

static void what_is_held_back_is_not_shown_before_a_crossing(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 4096);
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_flush(&stream);
    assert_int_equal(size, 16);
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_flush(&stream);
    assert_int_equal(size, 16 + 2 * 24);
    stream_close(&stream, false);
    free(text);
}

static void more_than_can_be_held_back_is_written_and_in_order(void **state)
{
    static char large[STREAM_RECORD_MAX_BYTES - STREAM_RECORD_HEADER_BYTES];
    struct stream stream;
    size_t at = 16;

    (void)state;
    open_in_memory(&stream, 1 << 20);
    for (uint32_t i = 0; i < 6; i++) {
        stream_put(&stream, RECORD_PROFILE, i, large, sizeof(large));
    }
    stream_close(&stream, false);
    for (uint32_t i = 0; u16(at) != RECORD_END; i++) {
        assert_int_equal(u16(at), RECORD_PROFILE);
        assert_int_equal(u16(at + 4), i);
        at += sizeof(large) + STREAM_RECORD_HEADER_BYTES;
    }
    assert_true(at >= 16 + 4 * STREAM_RECORD_MAX_BYTES);
    assert_int_equal(u64(at + 8), (at - 16) / STREAM_RECORD_MAX_BYTES);
    free(text);
}

static void what_is_left_out_was_not_lost(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 16 + 24 + 24);
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_close(&stream, false);
    assert_int_equal(u64(size - 16), 1);
    assert_int_equal(u64(size - 8), 0);
    free(text);
}

static void what_is_put_behind_the_end_of_what_is_held_back_is_kept(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 1000);
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_keep(&stream, false);
    stream_put(&stream, RECORD_MASKED, 0, body, sizeof(body));
    stream_close(&stream, true);
    assert_int_equal(u64(size - 16), 2);
    assert_int_equal(u64(size - 8), 0);
    free(text);
}

static void what_is_held_back_counts_against_the_limit(void **state)
{
    struct stream stream;

    (void)state;
    open_in_memory(&stream, 16 + 24 + 24);
    stream_put(&stream, RECORD_SLEEP, 0, body, sizeof(body));
    stream_put(&stream, RECORD_CROSSING, 0, body, sizeof(body));
    stream_close(&stream, false);
    assert_int_equal(size, 64);
    assert_int_equal(u64(size - 16), 1);
    assert_int_equal(u64(size - 8), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_its_kind_its_length_and_its_core),
        cmocka_unit_test(bodies_are_padded_with_zeros),
        cmocka_unit_test(beyond_the_limit_everything_is_lost_and_counted),
        cmocka_unit_test(a_record_that_is_too_long_is_lost),
        cmocka_unit_test(what_follows_the_last_crossing_is_kept_if_the_caller_says_so),
        cmocka_unit_test(what_is_held_back_is_not_shown_before_a_crossing),
        cmocka_unit_test(more_than_can_be_held_back_is_written_and_in_order),
        cmocka_unit_test(what_is_left_out_was_not_lost),
        cmocka_unit_test(what_is_put_behind_the_end_of_what_is_held_back_is_kept),
        cmocka_unit_test(what_is_held_back_counts_against_the_limit),
        cmocka_unit_test(a_full_disk_is_told_with_what_it_cost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
