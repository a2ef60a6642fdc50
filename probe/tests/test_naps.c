/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "known.h"
#include "naps.h"
#include "registers.h"

static struct path path;
static struct profile profile, naps;
static struct core core;

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
    profile_forget(&naps);
    core = (struct core) { .path = &path, .profile = &profile, .naps = &naps };
    return 0;
}

static void run(const char *fragments)
{
    for (; *fragments != '\0'; fragments++) {
        core_ran(&core, (uint32_t)*fragments, 2);
    }
}

static void assert_times(const char *fragments, const uint32_t *times, uint32_t count)
{
    assert_int_equal(naps.listed, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(naps.order[i], fragments[i]);
        assert_int_equal(naps.times[naps.order[i]], times[i]);
    }
}

static void naps_are_added_up_by_fragment(void **state)
{
    (void)state;
    run("ab");
    naps_note(&core, 4);
    path_forget(&path);
    run("bc");
    naps_note(&core, 4);
    assert_times("abc", (const uint32_t[]) { 1, 2, 1 }, 3);
    assert_int_equal(naps.record.unlisted_instructions, 0);
}

static void loops_in_loops_count_as_often_as_they_ran(void **state)
{
    (void)state;
    run("aababcaababcaababcaababcd");
    naps_note(&core, 50);
    assert_times("abcd", (const uint32_t[]) { 12, 8, 4, 1 }, 4);
}

static void a_nap_with_a_fragment_that_finds_no_room_is_told_as_one_sum(void **state)
{
    (void)state;
    run("ab");
    core_ran(&core, PROFILE_FRAGMENTS, 3);
    naps_note(&core, 7);
    assert_int_equal(naps.listed, 0);
    assert_int_equal(naps.record.unlisted_instructions, 7);
}

static void so_is_one_with_instructions_of_which_nothing_is_known(void **state)
{
    (void)state;
    run("ab");
    profile_note(&profile, UINT32_MAX, 5);
    naps_note(&core, 9);
    assert_int_equal(naps.listed, 0);
    assert_int_equal(naps.record.unlisted_instructions, 9);
}

static void a_nap_in_which_nothing_measured_ran_leaves_nothing(void **state)
{
    (void)state;
    core.naps = NULL;
    naps_note(&core, 9);
    assert_null(core.naps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(naps_are_added_up_by_fragment, start),
        cmocka_unit_test_setup(loops_in_loops_count_as_often_as_they_ran, start),
        cmocka_unit_test_setup(a_nap_with_a_fragment_that_finds_no_room_is_told_as_one_sum, start),
        cmocka_unit_test_setup(so_is_one_with_instructions_of_which_nothing_is_known, start),
        cmocka_unit_test_setup(a_nap_in_which_nothing_measured_ran_leaves_nothing, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
