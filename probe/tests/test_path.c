/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cmocka_needs.h"
#include "path.h"

#define LONGEST 200000U

static uint32_t unfolded[LONGEST];

static int make(void **state)
{
    *state = calloc(1, sizeof(struct path));
    return *state == NULL;
}

static int drop(void **state)
{
    free(*state);
    return 0;
}

static bool note(struct path *path, const char *fragments)
{
    bool has_room = true;

    for (; *fragments != '\0'; fragments++) {
        has_room = path_note(path, (uint32_t)*fragments);
    }
    return has_room;
}

/* Innermost loops first: a step of a loop is put down again as often as it says. Steps stand in a buffer that grows at its end. */
static uint32_t unfold(const struct path_step *steps, uint32_t count)
{
    uint32_t ends[PATH_PERIOD_MAX * PATH_PERIOD_MAX], starts[PATH_PERIOD_MAX * PATH_PERIOD_MAX], times[PATH_PERIOD_MAX * PATH_PERIOD_MAX];
    uint32_t depth = 0, length = 0;

    for (uint32_t i = 0; i <= count; i++) {
        while (depth > 0 && ends[depth - 1] == i) {
            uint32_t body = length - starts[--depth];

            for (uint32_t more = 1; more < times[depth]; more++) {
                assert_true(length + body <= LONGEST);
                memcpy(&unfolded[length], &unfolded[length - body], body * sizeof(unfolded[0]));
                length += body;
            }
        }
        if (i == count) {
            break;
        }
        if (steps[i].what & PATH_LOOP) {
            ends[depth] = i + 1 + (steps[i].what & ~PATH_LOOP);
            starts[depth] = length;
            times[depth++] = steps[i].times;
            continue;
        }
        for (uint32_t run = 0; run < steps[i].times; run++) {
            unfolded[length++] = steps[i].what;
        }
    }
    assert_int_equal(depth, 0);
    return length;
}

static void assert_steps(struct path *path, const struct path_step *wanted, uint32_t count)
{
    assert_int_equal(path_finish(path), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(path->steps[i].what, wanted[i].what);
        assert_int_equal(path->steps[i].times, wanted[i].times);
    }
}

static void fragments_stand_in_their_order_and_runs_of_one_are_one_step(void **state)
{
    const struct path_step wanted[] = { { 'a', 1 }, { 'b', 3 }, { 'a', 1 } };

    assert_true(note(*state, "abbba"));
    assert_steps(*state, wanted, 3);
}

static void a_repeated_pair_is_a_loop(void **state)
{
    const struct path_step wanted[] = { { 'x', 1 }, { PATH_LOOP | 2, 4 }, { 'a', 1 }, { 'b', 2 }, { 'y', 1 } };

    note(*state, "xabbabbabbabby");
    assert_steps(*state, wanted, 5);
}

static void a_loop_in_a_loop_is_folded_too(void **state)
{
    const struct path_step wanted[] = { { PATH_LOOP | 4, 3 }, { PATH_LOOP | 2, 2 }, { 'a', 1 }, { 'b', 1 }, { 'c', 1 } };

    note(*state, "ababcababcababc");
    assert_steps(*state, wanted, 5);
}

static void a_body_may_have_as_many_steps_as_are_said_and_no_more(void **state)
{
    struct path *path = *state;

    for (uint32_t i = 0; i < 3 * PATH_PERIOD_MAX; i++) {
        path_note(path, i % PATH_PERIOD_MAX);
    }
    assert_int_equal(path_finish(path), 1 + PATH_PERIOD_MAX);
    path_forget(path);
    for (uint32_t i = 0; i < 3 * (PATH_PERIOD_MAX + 1); i++) {
        path_note(path, i % (PATH_PERIOD_MAX + 1));
    }
    assert_int_equal(path_finish(path), 3 * (PATH_PERIOD_MAX + 1));
}

static void what_is_folded_unfolds_to_what_ran(void **state)
{
    static uint32_t ran[LONGEST];
    struct path *path = *state;
    uint32_t seed = 1;

    for (int round = 0; round < 400; round++) {
        uint32_t length = 0, steps;

        path_forget(path);
        while (length < 3000) { /* stretches of few fragments, each repeated, so that loops in loops come and break off */
            uint32_t start = length, size, times;

            seed = seed * 1664525U + 1013904223U;
            size = 1 + (seed >> 24) % 6;
            times = 1 + (seed >> 16) % 5;
            if (length > 100 && (seed >> 8) % 4 == 0) {
                start = length - (seed >> 12) % 40;
                size = length - start;
            } else {
                for (uint32_t i = 0; i < size; i++) {
                    ran[length++] = (seed >> i) % 4;
                }
            }
            for (uint32_t i = 0; i < times * size; i++, length++) {
                ran[length] = ran[length - size];
            }
        }
        for (uint32_t i = 0; i < length; i++) {
            assert_true(path_note(path, ran[i]));
        }
        steps = path_finish(path);
        assert_int_equal(unfold(path->steps, steps), length);
        assert_memory_equal(unfolded, ran, length * sizeof(ran[0]));
        assert_true(steps < length / 2);
    }
}

static void a_full_path_is_the_beginning_of_what_ran(void **state)
{
    struct path *path = *state;
    uint32_t noted = 0, steps;

    while (path_note(path, noted)) {
        noted++;
    }
    assert_false(path_note(path, noted - 1));
    assert_false(path_note(path, 0));
    steps = path_finish(path);
    assert_int_equal(steps, noted);
    assert_true(steps > PATH_STEPS - 8 && steps <= PATH_STEPS);
    assert_int_equal(path->steps[steps - 1].what, noted - 1);
    path_forget(path);
    assert_true(note(path, "ab"));
    assert_int_equal(path_finish(path), 2);
}

static void a_fragment_whose_number_would_be_a_loop_ends_the_path(void **state)
{
    assert_true(note(*state, "a"));
    assert_false(path_note(*state, PATH_LOOP));
    assert_false(note(*state, "a"));
    assert_int_equal(path_finish(*state), 1);
}

static void a_count_that_is_full_goes_on_in_a_step_of_its_own(void **state)
{
    struct path *path = *state;

    note(path, "a");
    path->times = UINT32_MAX;
    assert_true(note(path, "a"));
    assert_int_equal(path_finish(path), 2);
    assert_int_equal(path->steps[0].times, UINT32_MAX);
    assert_int_equal(path->steps[1].times, 1);
}

static void what_was_forgotten_is_in_no_path(void **state)
{
    note(*state, "abab");
    path_forget(*state);
    assert_int_equal(path_finish(*state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fragments_stand_in_their_order_and_runs_of_one_are_one_step, make, drop),
        cmocka_unit_test_setup_teardown(a_repeated_pair_is_a_loop, make, drop),
        cmocka_unit_test_setup_teardown(a_loop_in_a_loop_is_folded_too, make, drop),
        cmocka_unit_test_setup_teardown(a_body_may_have_as_many_steps_as_are_said_and_no_more, make, drop),
        cmocka_unit_test_setup_teardown(what_is_folded_unfolds_to_what_ran, make, drop),
        cmocka_unit_test_setup_teardown(a_full_path_is_the_beginning_of_what_ran, make, drop),
        cmocka_unit_test_setup_teardown(a_fragment_whose_number_would_be_a_loop_ends_the_path, make, drop),
        cmocka_unit_test_setup_teardown(a_count_that_is_full_goes_on_in_a_step_of_its_own, make, drop),
        cmocka_unit_test_setup_teardown(what_was_forgotten_is_in_no_path, make, drop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
