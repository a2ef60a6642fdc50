/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "masked.h"

#define EL1 1U
#define EL3 7U
#define ENTRIES_MAX 8

static struct masked_entry seen[ENTRIES_MAX];
static size_t seen_count;

static void note(const struct masked_entry *entry)
{
    assert_true(seen_count < ENTRIES_MAX);
    seen[seen_count++] = *entry;
}

static uint64_t now;

static void trail_of_now(uint64_t trail[MASKED_TRAIL])
{
    trail[0] = now;
}

static bool look(struct masked *core, struct masked_table *table, uint64_t instructions, enum mask mask, uint32_t world, uint64_t address)
{
    struct masked_look at = {
        .masks = { { mask, MASK_OPEN } },
        .world = world,
        .instructions = instructions,
        .address = address,
        .link = 0x500,
        .read_trail = trail_of_now,
    };

    now = instructions;

    return masked_look_at(core, table, &at);
}

static void finish(struct masked *core, struct masked_table *table, uint64_t instructions)
{
    masked_finish(core, table, instructions);
    seen_count = 0;
    masked_each(table, note);
    masked_table_free(table);
}

static void a_stretch_is_from_where_it_began_to_where_it_ended_by_world(void **state)
{
    struct masked core = { .core = 3 };
    struct masked_table *table = masked_table_new();

    (void)state;
    assert_false(look(&core, table, 0, MASK_OPEN, EL1, 0x100));
    assert_true(look(&core, table, 10, MASK_MASKED, EL1, 0x200));
    assert_false(look(&core, table, 15, MASK_MASKED, EL3, 0x300));
    assert_false(look(&core, table, 35, MASK_MASKED, EL1, 0x204));
    assert_true(look(&core, table, 36, MASK_OPEN, EL1, 0x208));
    finish(&core, table, 99);
    assert_int_equal(seen_count, 1);
    assert_int_equal(seen[0].count, 1);
    assert_int_equal(seen[0].instructions, 26);
    assert_int_equal(seen[0].longest, 26);
    assert_int_equal(seen[0].worlds[EL1], 6);
    assert_int_equal(seen[0].worlds[EL3], 20);
    assert_int_equal(seen[0].core, 3);
    assert_int_equal(seen[0].key.begin, 0x200);
    assert_int_equal(seen[0].key.link, 0x500);
    assert_int_equal(seen[0].key.end, 0x208);
    assert_int_equal(seen[0].key.edges, 0);
}

static void stretches_that_began_and_ended_alike_are_one_entry_with_its_longest(void **state)
{
    struct masked core = { 0 };
    struct masked_table *table = masked_table_new();

    (void)state;
    look(&core, table, 0, MASK_OPEN, EL1, 0x100);
    for (uint64_t i = 1; i <= 3; i++) {
        look(&core, table, 100 * i, MASK_MASKED, EL1, 0x200);
        look(&core, table, 100 * i + (i == 2 ? 50 : 5), MASK_OPEN, EL1, 0x208);
    }
    finish(&core, table, 999);
    assert_int_equal(seen_count, 1);
    assert_int_equal(seen[0].count, 3);
    assert_int_equal(seen[0].instructions, 60);
    assert_int_equal(seen[0].longest, 50);
    assert_int_equal(seen[0].longest_worlds[EL1], 50);
    assert_int_equal(seen[0].trail[0], 250);
}

static void what_the_machine_began_or_ended_in_is_told_as_such(void **state)
{
    struct masked core = { 0 };
    struct masked_table *table = masked_table_new();

    (void)state;
    look(&core, table, 0, MASK_MASKED, EL3, 0);
    look(&core, table, 7, MASK_OPEN, EL1, 0x100);
    look(&core, table, 9, MASK_MASKED, EL1, 0x200);
    finish(&core, table, 20);
    assert_int_equal(seen_count, 2);
    assert_int_equal(seen[0].key.edges, MASKED_FROM_START);
    assert_int_equal(seen[0].instructions, 7);
    assert_int_equal(seen[1].key.edges, MASKED_TO_END);
    assert_int_equal(seen[1].instructions, 11);
}

static void what_ran_behind_the_last_change_can_be_left_out(void **state)
{
    struct masked core = { 0 };
    struct masked_table *table = masked_table_new();

    (void)state;
    look(&core, table, 0, MASK_OPEN, EL1, 0x100);
    look(&core, table, 10, MASK_MASKED, EL1, 0x200);
    look(&core, table, 17, MASK_MASKED, EL3, 0x300);
    look(&core, table, 60, MASK_MASKED, EL3, 0x304);
    assert_int_equal(core.changed_at, 17);
    finish(&core, table, core.changed_at);
    assert_int_equal(seen[0].instructions, 7);
    assert_int_equal(seen[0].worlds[EL1], 7);
    assert_int_equal(seen[0].worlds[EL3], 0);
}

static void what_is_not_known_is_a_stretch_of_its_own(void **state)
{
    struct masked core = { 0 };
    struct masked_table *table = masked_table_new();

    (void)state;
    look(&core, table, 0, MASK_OPEN, EL1, 0);
    look(&core, table, 5, MASK_MASKED, EL3, 0x10);
    look(&core, table, 8, MASK_UNKNOWN, EL1, 0x20);
    look(&core, table, 18, MASK_OPEN, EL1, 0x30);
    finish(&core, table, 20);
    assert_int_equal(seen_count, 2);
    assert_int_equal(seen[0].key.mask, MASK_MASKED);
    assert_int_equal(seen[0].instructions, 3);
    assert_int_equal(seen[1].key.mask, MASK_UNKNOWN);
    assert_int_equal(seen[1].instructions, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretch_is_from_where_it_began_to_where_it_ended_by_world),
        cmocka_unit_test(stretches_that_began_and_ended_alike_are_one_entry_with_its_longest),
        cmocka_unit_test(what_the_machine_began_or_ended_in_is_told_as_such),
        cmocka_unit_test(what_ran_behind_the_last_change_can_be_left_out),
        cmocka_unit_test(what_is_not_known_is_a_stretch_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
