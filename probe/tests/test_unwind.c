/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cmocka_needs.h"
#include "unwind.h"

#define CODE 0x1000U
#define STACK 0x20000000U
#define BASIC 0xfffffffdU
#define WITH_FLOATS 0xffffffedU
#define BL_OF_TWO_BEFORE 0xfffef7ffU /* bl to itself */

static uint32_t code[64], stack[80];

static bool read(uint64_t address, void *to, size_t bytes)
{
    const uint8_t *from = (const uint8_t *)(address >= STACK ? stack : code);
    uint64_t base = address >= STACK ? STACK : CODE, size = address >= STACK ? sizeof(stack) : sizeof(code);

    if (address < base || address - base + bytes > size) {
        return false;
    }
    memcpy(to, from + (address - base), bytes);
    return true;
}

static bool fail_to_read(uint64_t address, void *to, size_t bytes)
{
    (void)address;
    (void)to;
    (void)bytes;
    fail();
    return false;
}

/* As an assembler does it. */
static uint32_t call(uint32_t from, uint32_t to)
{
    uint32_t offset = to - (from + 4), sign = offset >> 24 & 1U, first = ~(offset >> 23 ^ sign) & 1U,
             second = ~(offset >> 22 ^ sign) & 1U;

    return 0xf000U | sign << 10 | (offset >> 12 & 0x3ffU) | (0xd000U | first << 13 | second << 11 | (offset >> 1 & 0x7ffU)) << 16;
}

static int start(void **state)
{
    (void)state;
    memset(code, 0, sizeof(code));
    memset(stack, 0, sizeof(stack));
    return 0;
}

static void a_call_is_encoded_here_as_an_assembler_does(void **state)
{
    (void)state;
    assert_int_equal(call(CODE, CODE), BL_OF_TWO_BEFORE);
}

static void the_next_return_address_is_behind_a_call_to_the_function_around(void **state)
{
    uint64_t at = STACK;

    (void)state;
    code[4] = call(CODE + 0x10, CODE + 0x80);
    code[8] = call(CODE + 0x20, CODE);
    stack[0] = 0x12345678;
    stack[1] = CODE + 0x15;
    stack[2] = 7;
    stack[3] = CODE + 0x25;
    assert_int_equal(unwind_caller(&at, CODE + 0x90, read), CODE + 0x15);
    assert_int_equal(at, STACK + 8);
    assert_int_equal(unwind_caller(&at, CODE + 0x14, read), CODE + 0x25);
    assert_int_equal(unwind_caller(&at, CODE + 0x24, read), 0);
}

static void a_stale_return_address_of_another_function_is_passed_over(void **state)
{
    uint64_t at = STACK;

    (void)state;
    code[4] = call(CODE + 0x10, CODE + 0xa0);
    code[8] = call(CODE + 0x20, CODE + 0x80);
    stack[0] = CODE + 0x15;
    stack[1] = CODE + 0x25;
    assert_int_equal(unwind_caller(&at, CODE + 0x90, read), CODE + 0x25);
}

static void what_lies_beyond_an_exception_is_not_looked_at(void **state)
{
    uint64_t at = STACK;

    (void)state;
    code[4] = call(CODE + 0x10, CODE + 0x80);
    stack[0] = UINT32_MAX;
    stack[1] = BASIC;
    stack[2] = CODE + 0x15;
    assert_int_equal(unwind_caller(&at, CODE + 0x90, read), 0);
    assert_int_equal(at, STACK + 8);
}

static void calls_far_away_in_either_direction_are_followed(void **state)
{
    uint64_t at = STACK;

    (void)state;
    code[4] = call(CODE + 0x10, 0x00fff000);
    code[8] = call(CODE + 0x20, (uint32_t)(CODE - 0x00f00000));
    stack[0] = CODE + 0x15;
    stack[1] = CODE + 0x25;
    assert_int_equal(unwind_caller(&at, 0x00fff010, read), CODE + 0x15);
    assert_int_equal(unwind_caller(&at, (uint32_t)(CODE - 0x00f00000) + 0x10, read), CODE + 0x25);
}

static void words_that_are_no_return_address_are_none(void **state)
{
    uint64_t at = STACK;

    (void)state;
    code[4] = call(CODE + 0x10, CODE + 0x80);
    stack[0] = CODE + 0x14;
    stack[1] = CODE + 0x19;
    stack[2] = 0x40200015;
    stack[3] = 0xe000e015;
    assert_int_equal(unwind_caller(&at, CODE + 0x90, read), 0);
    assert_true(at > STACK + 16);
}

static void a_device_is_never_read(void **state)
{
    uint64_t at = 0x40000000, frame = 0xe000e000;

    (void)state;
    assert_int_equal(unwind_caller(&at, CODE, fail_to_read), 0);
    assert_int_equal(unwind_exception(BASIC, &frame, fail_to_read), 0);
}

static void the_link_register_before_an_exception_is_in_its_frame(void **state)
{
    uint64_t frame = STACK;

    (void)state;
    stack[5] = CODE + 0x15;
    assert_int_equal(unwind_exception(BASIC, &frame, read), CODE + 0x15);
    assert_int_equal(frame, STACK + 0x20);
}

static void a_frame_may_have_floats_padding_and_the_secure_state_below_it(void **state)
{
    uint64_t frame = STACK;

    (void)state;
    stack[0] = 0xfefa125b;
    stack[15] = CODE + 0x15;
    stack[17] = 0x01000200;
    assert_int_equal(unwind_exception(WITH_FLOATS, &frame, read), CODE + 0x15);
    assert_int_equal(frame, STACK + 0x28 + 0x68 + 4);
}

static void only_an_exception_leaves_such_a_link_register(void **state)
{
    (void)state;
    assert_true(unwind_is_exception(BASIC));
    assert_true(unwind_is_exception(0xffffffb8U));
    assert_false(unwind_is_exception(CODE + 1));
    assert_false(unwind_is_exception(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_call_is_encoded_here_as_an_assembler_does, start),
        cmocka_unit_test_setup(the_next_return_address_is_behind_a_call_to_the_function_around, start),
        cmocka_unit_test_setup(a_stale_return_address_of_another_function_is_passed_over, start),
        cmocka_unit_test_setup(what_lies_beyond_an_exception_is_not_looked_at, start),
        cmocka_unit_test_setup(calls_far_away_in_either_direction_are_followed, start),
        cmocka_unit_test_setup(words_that_are_no_return_address_are_none, start),
        cmocka_unit_test_setup(a_device_is_never_read, start),
        cmocka_unit_test_setup(the_link_register_before_an_exception_is_in_its_frame, start),
        cmocka_unit_test_setup(a_frame_may_have_floats_padding_and_the_secure_state_below_it, start),
        cmocka_unit_test_setup(only_an_exception_leaves_such_a_link_register, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
