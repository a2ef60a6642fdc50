/* SPDX-License-Identifier: BSD-3-Clause */
/* The Raspberry Pi's counter beside its microsecond timer: BCM2711 ARM Peripherals, 10.2; QA7, 3.1. */
#include "harness.h"
#include "raspi4.h"
#include "registers.h"

#define TIMER 0xFE003004U
#define FIRST_US 0xFFFFFE00U /* the timer's low word wraps soon after */

#define QUARTERS_A_SECOND 4000000U

static uint64_t hz;            /* of the counter */
static uint64_t quarters;      /* of a microsecond, since the machine was started */
static unsigned stops_at_look; /* the emulator stands still for a second after this look at the timer, counted down; 0: never */

void harness_before_each(void)
{
    machine_clear();
    machine_set_device(TIMER, 0);
    quarters = 0;
    stops_at_look = 0;
}

/* Time goes on by a quarter of a microsecond with each look at the timer. */
uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    uint32_t says = (uint32_t)(FIRST_US + ++quarters / 4);

    (void)value;
    CHECK_EQUAL(address, TIMER);
    if (stops_at_look != 0 && --stops_at_look == 0) {
        quarters += QUARTERS_A_SECOND;
    }
    machine_set("cntpct_el0", quarters * hz / QUARTERS_A_SECOND);
    return says;
}

static uint64_t found(uint64_t of_register, uint64_t real_hz)
{
    harness_before_each();
    hz = real_hz;
    machine_set("cntfrq_el0", of_register);
    machine_set("cntpct_el0", 0);
    return raspi4_counter_hz();
}

TEST(the_register_is_kept_where_the_counter_goes_as_it_says)
{
    CHECK_EQUAL(found(62500000, 62500000), 62500000);
    CHECK_EQUAL(found(54000000, 54000000), 54000000);
    CHECK_EQUAL(found(19200000, 19200000), 19200000);
}

TEST(a_counter_at_the_crystals_speed_has_the_crystals_frequency_whatever_the_register_holds_after_a_reset)
{
    CHECK_EQUAL(found(0, 54000000), 54000000);
    CHECK_EQUAL(found(62500000, 54000000), 54000000);
    CHECK_EQUAL(found(UINT32_MAX, 54000000), 54000000);
}

TEST(a_counter_that_neither_explains_has_no_frequency)
{
    CHECK_EQUAL(found(0, 19200000), 0);
    CHECK_EQUAL(found(62500000, 19200000), 0);
    CHECK_EQUAL(found(54000000, 1000000000), 0);
    CHECK_EQUAL(found(54000000, 0), 0);
}

TEST(a_machine_that_stands_still_between_the_two_clocks_makes_no_difference)
{
    for (unsigned look = 1; look < 8000; look += 97) {
        harness_before_each();
        hz = 54000000;
        machine_set("cntfrq_el0", 0);
        machine_set("cntpct_el0", 0);
        stops_at_look = look;
        CHECK_EQUAL(raspi4_counter_hz(), 54000000);
    }
}

TEST(the_counter_goes_by_the_crystal_one_tick_a_cycle)
{
    raspi4_counter_start();
    CHECK_TEXT("[ff800000]=0\n[ff800008]=80000000\n", machine_written());
}
