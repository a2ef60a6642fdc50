/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"
#include "steal_clock.h"

TEST(the_eighth_figure_of_a_cpu_is_what_was_stolen)
{
    unsigned cpu = 0;
    uint64_t ticks = 0;

    CHECK(steal_clock_of_line("cpu12 1 2 3 4 5 6 7 3904 0 0\n", &cpu, &ticks));
    CHECK_EQUAL(cpu, 12);
    CHECK_EQUAL(ticks, 3904);
}

TEST(the_sum_of_all_cpus_and_a_kernel_without_the_column_have_none)
{
    unsigned cpu = 0;
    uint64_t ticks = 0;

    CHECK(!steal_clock_of_line("cpu  1 2 3 4 5 6 7 8 0 0\n", &cpu, &ticks));
    CHECK(!steal_clock_of_line("cpu0 1 2 3 4 5 6 7\n", &cpu, &ticks));
    CHECK(!steal_clock_of_line("intr 1 2 3 4 5 6 7 8 9\n", &cpu, &ticks));
}

TEST(each_state_has_its_own_word)
{
    for (enum steal_clock one = STEAL_CLOCK_KNOWN; one <= STEAL_CLOCK_UNREADABLE; one++) {
        for (enum steal_clock other = STEAL_CLOCK_KNOWN; other < one; other++) {
            CHECK(steal_clock_word(one) != steal_clock_word(other));
        }
    }
}
