/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cmocka_needs.h"
#include "context.h"
#include "known.h"
#include "registers.h"
#include "shared.h"

#define STRETCHES_MAX 8

/* add, a load, two adds, a read of an identity register, an add. */
static const uint32_t code[] = { 0x8b020020, 0xf9400020, 0x8b020020, 0x8b020020, 0xd5380400, 0x8b020020 };
static const struct fragment block = {
    .address = 0x1000, .instructions = 6, .level = 1, .code_bytes = sizeof(code), .code = (const uint8_t *)code
};
static struct fragment told[STRETCHES_MAX];
static uint32_t told_count;
static struct path path;
static struct profile profile;
static struct core core;

uint32_t known_number_of(struct fragment stretch)
{
    assert_true(told_count < STRETCHES_MAX);
    told[told_count] = stretch;
    return told_count++;
}

const struct fragment *known_in(struct fragment *fragment, uint32_t context)
{
    (void)context;
    return fragment;
}

uint32_t registers_context(uint32_t level)
{
    return level;
}

static int start(void **state)
{
    (void)state;
    path_forget(&path);
    profile_forget(&profile);
    told_count = 0;
    core = (struct core) { .path = &path, .profile = &profile, .own_instructions = 100 };
    core.instructions = &core.own_instructions;
    return 0;
}

static void a_block_is_told_in_the_stretches_of_measured_code(void **state)
{
    (void)state;
    shared_entered(&core, &block);
    shared_left(&core, 106);
    assert_int_equal(told_count, 3);
    assert_int_equal(told[0].address, 0x1000);
    assert_int_equal(told[0].instructions, 2);
    assert_int_equal(told[1].address, 0x1008);
    assert_int_equal(told[1].instructions, 3);
    assert_int_equal(told[2].instructions, 1);
    assert_memory_equal(told[1].code, &code[2], told[1].code_bytes);
    assert_int_equal(path_finish(&path), 3);
}

static void what_did_not_run_is_not_told(void **state)
{
    (void)state;
    shared_entered(&core, &block);
    shared_left(&core, 102);
    assert_int_equal(told_count, 1);
    assert_int_equal(told[0].instructions, 2);
}

static void a_block_is_told_once(void **state)
{
    (void)state;
    shared_entered(&core, &block);
    shared_left(&core, 106);
    shared_left(&core, 106);
    assert_int_equal(told_count, 3);
}

static void where_contexts_are_asked_for_it_has_the_cores_and_its_devices_are_not_known(void **state)
{
    (void)state;
    core.context = CONTEXT_TOLD | CONTEXT_SWITCHES;
    shared_entered(&core, &block);
    shared_left(&core, 106);
    assert_int_equal(told[0].context, CONTEXT_TOLD | CONTEXT_SWITCHES | CONTEXT_DEVICE_UNKNOWN);
}

static void code_that_was_cut_off_is_counted_without_a_name(void **state)
{
    struct fragment cut = block;

    (void)state;
    cut.code_bytes = 8;
    shared_entered(&core, &cut);
    shared_left(&core, 106);
    assert_int_equal(told_count, 0);
    assert_int_equal(profile.record.unlisted_instructions, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_is_told_in_the_stretches_of_measured_code, start),
        cmocka_unit_test_setup(what_did_not_run_is_not_told, start),
        cmocka_unit_test_setup(a_block_is_told_once, start),
        cmocka_unit_test_setup(where_contexts_are_asked_for_it_has_the_cores_and_its_devices_are_not_known, start),
        cmocka_unit_test_setup(code_that_was_cut_off_is_counted_without_a_name, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
