/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cmocka_needs.h"
#include "known.h"
#include "registers.h"
#include "shared.h"
#include "turns.h"

/* What QEMU gives, a scoreboard's memory, and what turns_start() is given, the core of a key. */
static uint8_t board[16];
static struct core cores[2];
static struct path paths[2];
static struct profile profiles[2];
static int changes;

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_bytes)
{
    assert_int_equal(element_bytes, 1);
    return (struct qemu_plugin_scoreboard *)board;
}

void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu)
{
    return (uint8_t *)score + vcpu;
}

static struct core *turn_changes(struct fragment *block, void *key)
{
    struct core *core = key == &cores[0] ? &cores[0] : &cores[1];

    changes++;
    core->level = block->level;
    core->watched = block->level | (core->is_measured ? WATCHED_MEASURED : 0);
    return core;
}

static const struct fragment block = { .instructions = 10, .left = 7, .level = 1 };
static const struct fragment other = { .instructions = 4, .left = 1, .level = 1 };
/* add, a load, and four adds. */
static const uint32_t code[] = { 0x8b020020, 0xf9400020, 0x8b020020, 0x8b020020, 0x8b020020, 0x8b020020 };
static const struct fragment shared = {
    .instructions = 6, .left = 4, .level = 1, .code_bytes = sizeof(code), .code = (const uint8_t *)code
};
static uint32_t listed;

const struct fragment *known_in(struct fragment *fragment, uint32_t context)
{
    (void)context;
    return fragment;
}

uint32_t registers_context(uint32_t level)
{
    return level;
}

uint32_t known_number_of(struct fragment stretch)
{
    listed += stretch.instructions;
    return stretch.instructions;
}

static const struct fragment measured = { .instructions = 5, .level = 3, .number = 0 };

/* QEMU's own store operation, in a block that was translated by this core. */
static void reached(unsigned int vcpu, uint64_t left)
{
    void *cell = (void *)((uintptr_t)board + turns_left().offset + vcpu);

    memcpy(cell, &left, sizeof(left));
}

static void enter(const struct fragment *fragment, unsigned int translated_by, unsigned int core)
{
    probe_turn(translated_by, (void *)(uintptr_t)fragment, &cores[core]);
}

static void enter_measured(unsigned int translated_by, unsigned int core)
{
    probe_measured_turn(translated_by, (void *)(uintptr_t)&measured, &cores[core]);
}

static int start(void **state)
{
    static bool is_made;

    (void)state;
    if (!is_made) {
        assert_false(turns_are_taken(2));
        turns_start(turn_changes);
        turns_core_made();
        assert_false(turns_are_taken(1));
        turns_core_made();
        assert_true(turns_are_taken(2));
        is_made = true;
    }
    for (int i = 0; i < 2; i++) {
        cores[i].instructions = &cores[i].own_instructions;
        cores[i].path = &paths[i];
        cores[i].profile = &profiles[i];
    }
    enter(&(struct fragment) { .level = 1 }, 0, 1);
    for (int i = 0; i < 2; i++) {
        path_forget(&paths[i]);
        profile_forget(&profiles[i]);
        cores[i] = (struct core) { .key = &cores[i], .number = (uint32_t)i, .watched = WATCHED_NOTHING, .profile = &profiles[i] };
        cores[i].path = &paths[i];
        cores[i].instructions = &cores[i].own_instructions;
    }
    changes = 0;
    listed = 0;
    return 0;
}

static void a_block_that_ran_to_its_end_counts_whole(void **state)
{
    (void)state;
    enter(&block, 0, 0);
    reached(0, 3);
    reached(0, 0);
    assert_int_equal(turns_not_run(), 0);
    enter(&block, 0, 0);
    assert_int_equal(cores[0].own_instructions - turns_not_run(), 10 + 3);
    assert_int_equal(changes, 1);
}

static void what_did_not_run_is_taken_back_once(void **state)
{
    (void)state;
    enter(&block, 1, 0);
    reached(1, 4);
    assert_int_equal(turns_not_run(), 4);
    enter_measured(1, 0);
    assert_int_equal(cores[0].own_instructions, 6 + 5);
    enter_measured(1, 0);
    assert_int_equal(cores[0].own_instructions, 6 + 5 + 5);
}

static void the_core_that_left_its_block_gives_back_and_not_the_next(void **state)
{
    (void)state;
    enter(&block, 0, 0);
    enter(&other, 1, 1);
    reached(1, 0);
    assert_int_equal(cores[0].own_instructions, 3);
    assert_int_equal(cores[1].own_instructions, 4);
    enter(&other, 0, 0);
    assert_int_equal(cores[1].own_instructions, 4);
    assert_int_equal(changes, 3);
}

static void cells_that_overlap_do_not_disturb_each_other(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < 100; i++) {
        unsigned int vcpu = i % 3;

        enter(&block, vcpu, 0);
        reached(vcpu, i % 2 == 0 ? 0 : 4);
    }
    enter(&other, 0, 0);
    assert_int_equal(cores[0].own_instructions, 50 * 10 + 50 * 6 + 4);
}

static void another_world_is_a_change_though_the_core_is_the_same(void **state)
{
    struct fragment above = { .instructions = 1, .level = 2 };

    (void)state;
    enter(&block, 0, 0);
    enter(&above, 0, 0);
    enter(&above, 0, 0);
    assert_int_equal(changes, 2);
}

static void measured_code_is_listed_only_in_a_measured_world(void **state)
{
    (void)state;
    enter_measured(0, 0);
    assert_int_equal(path_finish(&paths[0]), 0);
    cores[0].is_measured = true;
    cores[0].watched = WATCHED_NOTHING;
    enter_measured(0, 0);
    enter_measured(0, 0);
    assert_int_equal(path_finish(&paths[0]), 1);
    assert_int_equal(paths[0].steps[0].times, 2);
    assert_int_equal(cores[0].own_instructions, 15);
}

static void of_code_that_two_worlds_share_what_ran_is_listed(void **state)
{
    (void)state;
    cores[0].is_measured = true;
    enter(&shared, 0, 0);
    reached(0, 4);
    enter(&shared, 0, 0);
    reached(0, 0);
    enter_measured(0, 0);
    assert_int_equal(listed, 2 + 2 + 4);
    assert_int_equal(profiles[0].record.unlisted_instructions, 0);
    assert_int_equal(cores[0].own_instructions, 2 + 6 + 5);
    cores[0].is_measured = false;
    cores[0].watched = WATCHED_NOTHING;
    enter(&shared, 0, 0);
    enter(&shared, 0, 0);
    assert_int_equal(listed, 2 + 2 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_that_ran_to_its_end_counts_whole, start),
        cmocka_unit_test_setup(what_did_not_run_is_taken_back_once, start),
        cmocka_unit_test_setup(the_core_that_left_its_block_gives_back_and_not_the_next, start),
        cmocka_unit_test_setup(cells_that_overlap_do_not_disturb_each_other, start),
        cmocka_unit_test_setup(another_world_is_a_change_though_the_core_is_the_same, start),
        cmocka_unit_test_setup(measured_code_is_listed_only_in_a_measured_world, start),
        cmocka_unit_test_setup(of_code_that_two_worlds_share_what_ran_is_listed, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
