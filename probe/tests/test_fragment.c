/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "fragment.h"

static const uint8_t code[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint8_t other_code[] = { 1, 2, 3, 4, 5, 6, 7, 9 };

static struct fragment at(uint64_t address)
{
    return (struct fragment) { .address = address, .instructions = 2, .level = 3, .code_bytes = sizeof(code), .code = code };
}

static void the_same_code_is_the_same_fragment(void **state)
{
    struct fragment_table *table = fragment_table_new();
    bool is_new;
    struct fragment *first = fragment_of(table, at(0x1000), &is_new);

    (void)state;
    assert_true(is_new);
    assert_ptr_equal(fragment_of(table, at(0x1000), &is_new), first);
    assert_false(is_new);
    assert_memory_equal(first->code, code, sizeof(code));
    assert_ptr_not_equal(first->code, code);
    fragment_table_free(table);
}

/* The table hashes the low half of an address, and 33 * 1 + 40 is 33 * 2 + 7. */
static void fragments_of_one_hash_are_told_apart(void **state)
{
    static const uint8_t one[] = { 1, 40 }, two[] = { 2, 7 };
    struct fragment_table *table = fragment_table_new();
    struct fragment left = { .address = 0x1000, .instructions = 1, .level = 3, .code_bytes = sizeof(one), .code = one };
    struct fragment right = left, far = left;
    bool is_new;

    (void)state;
    right.code = two;
    far.address += 1ULL << 32;
    fragment_of(table, left, &is_new);
    fragment_of(table, right, &is_new);
    assert_true(is_new);
    fragment_of(table, far, &is_new);
    assert_true(is_new);
    fragment_table_free(table);
}

static void another_address_level_length_or_code_is_another_fragment(void **state)
{
    struct fragment_table *table = fragment_table_new();
    struct fragment other_level = at(0x1000), shorter = at(0x1000), changed = at(0x1000);
    bool is_new;

    (void)state;
    other_level.level = 1;
    shorter.instructions = 1;
    shorter.code_bytes = 4;
    changed.code = other_code;
    fragment_of(table, at(0x1000), &is_new);
    fragment_of(table, at(0x2000), &is_new);
    assert_true(is_new);
    fragment_of(table, other_level, &is_new);
    assert_true(is_new);
    fragment_of(table, shorter, &is_new);
    assert_true(is_new);
    fragment_of(table, changed, &is_new);
    assert_true(is_new);
    fragment_table_free(table);
}

static void numbers_are_given_once_and_in_order(void **state)
{
    struct fragment_table *table = fragment_table_new();
    bool is_new;
    struct fragment *first = fragment_of(table, at(0x1000), &is_new);
    struct fragment *second = fragment_of(table, at(0x2000), &is_new);

    (void)state;
    assert_int_equal(first->number, FRAGMENT_UNNUMBERED);
    fragment_give_number(table, second);
    fragment_give_number(table, first);
    fragment_give_number(table, second);
    assert_int_equal(second->number, 0);
    assert_int_equal(first->number, 1);
    fragment_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_code_is_the_same_fragment),
        cmocka_unit_test(fragments_of_one_hash_are_told_apart),
        cmocka_unit_test(another_address_level_length_or_code_is_another_fragment),
        cmocka_unit_test(numbers_are_given_once_and_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
