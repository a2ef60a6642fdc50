/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "cmocka_needs.h"
#include "profile.h"

static int make(void **state)
{
    *state = calloc(1, sizeof(struct profile));
    return *state == NULL;
}

static int drop(void **state)
{
    free(*state);
    return 0;
}

static void fragments_come_in_the_order_of_their_first_run(void **state)
{
    struct profile *profile = *state;

    profile_note(profile, 7, 1);
    profile_note(profile, 3, 2);
    profile_note(profile, 7, 1);
    assert_int_equal(profile_next_record(profile), 8 + 2 * 8);
    assert_int_equal(profile->record.entries[0].fragment, 7);
    assert_int_equal(profile->record.entries[0].times, 2);
    assert_int_equal(profile->record.entries[1].fragment, 3);
    assert_int_equal(profile->record.entries[1].times, 1);
    assert_int_equal(profile->record.unlisted_instructions, 0);
}

static void what_was_forgotten_is_not_counted_again(void **state)
{
    struct profile *profile = *state;

    profile_note(profile, 7, 1);
    profile_note(profile, PROFILE_FRAGMENTS, 5);
    profile_forget(profile);
    assert_int_equal(profile_next_record(profile), 0);
    profile_note(profile, 7, 1);
    assert_int_equal(profile_next_record(profile), 8 + 8);
    assert_int_equal(profile->record.entries[0].times, 1);
}

static void fragments_that_fill_a_record_go_on_in_the_next(void **state)
{
    struct profile *profile = *state;

    for (uint32_t i = 0; i < PROFILE_LISTED + 2; i++) {
        profile_note(profile, i, 10);
    }
    profile_note(profile, UINT32_MAX, 3);
    profile_note(profile, 0, 10);
    assert_int_equal(profile_next_record(profile), 8 + PROFILE_LISTED * 8);
    assert_int_equal(profile->record.unlisted_instructions, 3);
    assert_int_equal(profile->record.entries[0].times, 2);
    assert_int_equal(profile_next_record(profile), 8 + 2 * 8);
    assert_int_equal(profile->record.unlisted_instructions, 0);
    assert_int_equal(profile->record.entries[0].fragment, PROFILE_LISTED);
    assert_int_equal(profile->record.entries[1].fragment, PROFILE_LISTED + 1);
    assert_int_equal(profile_next_record(profile), 0);
}

static void what_found_no_room_is_told_once(void **state)
{
    struct profile *profile = *state;

    profile_note(profile, PROFILE_FRAGMENTS, 3);
    profile_note(profile, PROFILE_FRAGMENTS + 1, 4);
    profile_note(profile, 1, 4);
    assert_int_equal(profile_next_record(profile), 8 + 8);
    assert_int_equal(profile->record.unlisted_instructions, 7);
    assert_int_equal(profile_next_record(profile), 0);
    profile_forget(profile);
    profile_note(profile, PROFILE_FRAGMENTS, 3);
    assert_int_equal(profile_next_record(profile), 8);
    assert_int_equal(profile_next_record(profile), 0);
}

static void a_count_that_is_full_does_not_start_again(void **state)
{
    struct profile *profile = *state;

    profile_note(profile, 1, 4);
    profile->times[1] = UINT32_MAX;
    profile_note(profile, 1, 4);
    profile_next_record(profile);
    assert_int_equal(profile->record.entries[0].times, UINT32_MAX);
    assert_int_equal(profile->record.unlisted_instructions, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fragments_come_in_the_order_of_their_first_run, make, drop),
        cmocka_unit_test_setup_teardown(what_was_forgotten_is_not_counted_again, make, drop),
        cmocka_unit_test_setup_teardown(fragments_that_fill_a_record_go_on_in_the_next, make, drop),
        cmocka_unit_test_setup_teardown(what_found_no_room_is_told_once, make, drop),
        cmocka_unit_test_setup_teardown(a_count_that_is_full_does_not_start_again, make, drop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
