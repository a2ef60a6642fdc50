/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include "stamps.h"

#define CLOCK_HZ 62500000

/* ENTER_PSCI, EXIT_PSCI, ENTER_HW_LOW_PWR, EXIT_HW_LOW_PWR, ENTER_CFLUSH, EXIT_CFLUSH. */
static const struct stamps sound = { { 100, 900, 400, 800, 200, 300 } };

static struct stamps with(enum stamp stamp, uint64_t ticks)
{
    struct stamps stamps = sound;

    stamps.ticks[stamp] = ticks;
    return stamps;
}

static bool is_sound(struct stamps stamps)
{
    return stamps_are_in_order_power(&stamps, 50, 1000);
}

TEST(stamps_of_one_power_down_are_in_order)
{
    CHECK(is_sound(sound));
}

TEST(a_stamp_out_of_its_order_is_seen)
{
    CHECK(!is_sound(with(STAMP_ENTER_PSCI, 401)));
    CHECK(!is_sound(with(STAMP_ENTER_HW_LOW_PWR, 801)));
    CHECK(!is_sound(with(STAMP_EXIT_HW_LOW_PWR, 399)));
    CHECK(!is_sound(with(STAMP_EXIT_PSCI, 799)));
    CHECK(!is_sound(with(STAMP_ENTER_CFLUSH, 301)));
    CHECK(!is_sound(with(STAMP_EXIT_CFLUSH, 401)));
}

TEST(a_stamp_of_an_earlier_call_is_seen)
{
    CHECK(!is_sound(with(STAMP_ENTER_PSCI, 49)));
    CHECK(!is_sound(with(STAMP_ENTER_HW_LOW_PWR, 0)));
    CHECK(!is_sound(with(STAMP_EXIT_PSCI, 1001)));
}

TEST(a_call_without_a_flush_has_a_flush_of_zero)
{
    struct stamps stamps = sound;

    stamps.ticks[STAMP_ENTER_CFLUSH] = 20;
    stamps.ticks[STAMP_EXIT_CFLUSH] = 30;
    CHECK(is_sound(stamps));
    CHECK(stamps_power_figures(&stamps, CLOCK_HZ).cache_flush_ns == 0);
}

TEST(figures_are_nanoseconds_of_the_three_spans)
{
    struct power_figures f = stamps_power_figures(&sound, CLOCK_HZ);

    CHECK(f.powerdown_ns == 300 * 16);
    CHECK(f.wakeup_ns == 100 * 16);
    CHECK(f.cache_flush_ns == 100 * 16);
    CHECK(stamps_call_ns(&sound, CLOCK_HZ) == 800 * 16);
}

TEST(figures_are_rounded_to_the_nearest_nanosecond)
{
    struct stamps stamps = { { 0, 2 } };

    CHECK(stamps_call_ns(&stamps, 3000000000) == 1);
    stamps.ticks[STAMP_EXIT_PSCI] = 1;
    CHECK(stamps_call_ns(&stamps, 3000000000) == 0);
}
