/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "cmocka_needs.h"
#include "spent.h"

static struct spent *spent;

static int start(void **state)
{
    (void)state;
    spent = calloc(1, sizeof(*spent));
    return spent == NULL;
}

static int end(void **state)
{
    (void)state;
    free(spent);
    return 0;
}

static void the_times_of_a_fragment_are_summed_in_the_order_of_the_first(void **state)
{
    (void)state;
    spent_note(spent, 7, 3);
    spent_note(spent, 2, 10);
    spent_note(spent, 7, 0x100000000U);
    assert_int_equal(spent_next_record(spent), sizeof(uint64_t) + 2 * sizeof(struct spent_entry));
    assert_int_equal(spent->record.entries[0].fragment, 7);
    assert_int_equal(spent->record.entries[0].ticks, 0x100000003U);
    assert_int_equal(spent->record.entries[1].fragment, 2);
    assert_int_equal(spent->record.unlisted_ticks, 0);
    assert_int_equal(spent_next_record(spent), 0);
}

static void a_fragment_without_room_is_summed_with_others_and_stands_in_the_first_record(void **state)
{
    (void)state;
    spent_note(spent, SPENT_FRAGMENTS, 5);
    spent_note(spent, UINT32_MAX, 6);
    assert_int_equal(spent_next_record(spent), sizeof(uint64_t));
    assert_int_equal(spent->record.unlisted_ticks, 11);
    assert_int_equal(spent_next_record(spent), 0);
}

static void more_fragments_than_a_record_takes_go_on_in_the_next(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= SPENT_LISTED; i++) {
        spent_note(spent, i, 0);
    }
    assert_int_equal(spent_next_record(spent), sizeof(struct spent_record));
    assert_int_equal(spent_next_record(spent), sizeof(uint64_t) + sizeof(struct spent_entry));
    assert_int_equal(spent->record.entries[0].fragment, SPENT_LISTED);
}

static void what_was_forgotten_begins_at_zero(void **state)
{
    (void)state;
    spent_note(spent, 1, 5);
    spent_note(spent, SPENT_FRAGMENTS, 5);
    spent_forget(spent);
    assert_int_equal(spent_next_record(spent), 0);
    spent_note(spent, 1, 2);
    spent_next_record(spent);
    assert_int_equal(spent->record.entries[0].ticks, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_times_of_a_fragment_are_summed_in_the_order_of_the_first, start, end),
        cmocka_unit_test_setup_teardown(a_fragment_without_room_is_summed_with_others_and_stands_in_the_first_record, start, end),
        cmocka_unit_test_setup_teardown(more_fragments_than_a_record_takes_go_on_in_the_next, start, end),
        cmocka_unit_test_setup_teardown(what_was_forgotten_begins_at_zero, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
