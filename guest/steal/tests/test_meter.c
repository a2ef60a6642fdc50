/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU of 2 GHz above a system counter of 62.5 MHz, 32 cycles to a tick: windows of 200 us, in which things happen. */
#include "harness.h"
#include "meter.h"

#define COUNTER_HZ 62500000.0
#define CYCLES_PER_TICK 32U
#define NS_PER_TICK 16U
#define WINDOW_TICKS 12500U
#define MARK 150U

struct cpu {
    struct reading now;
    struct meter meter;
};

static struct cpu cpu_in(enum regime regime)
{
    const struct meter_rules rules = {
        .regime = regime, .counter_hz = COUNTER_HZ, .cycles_per_tick = CYCLES_PER_TICK, .width_ticks = 50, .noise_cycles = 10, .noise_ns = 64,
    };
    struct cpu cpu = { .now = { 1000, 1050, 7000, 9000 } };

    meter_begin(&cpu.meter, &rules, &cpu.now);
    return cpu;
}

static void run_for(struct cpu *cpu, uint64_t ticks, uint64_t cycles_per_tick)
{
    cpu->now.before_ticks += ticks;
    cpu->now.after_ticks += ticks;
    cpu->now.cycles += ticks * cycles_per_tick;
    cpu->now.events += ticks * cycles_per_tick;
}

/* The firmware runs: the event counter stops, the cycle counter after `counted` cycles. */
static void firmware_takes(struct cpu *cpu, uint64_t ticks, uint64_t counted)
{
    cpu->now.before_ticks += ticks;
    cpu->now.after_ticks += ticks;
    cpu->now.cycles += counted;
}

/* An interrupt of the PMU itself stops both counters. */
static void counters_stand_still(struct cpu *cpu, uint64_t ticks)
{
    firmware_takes(cpu, ticks, 0);
}

static bool window(struct cpu *cpu, struct theft *theft)
{
    return meter_window(&cpu->meter, &cpu->now, theft);
}

TEST(where_the_cycle_counter_runs_on_its_lead_is_the_time_whatever_else_stands_still)
{
    struct cpu cpu = cpu_in(REGIME_RUNS);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 100, 100U * CYCLES_PER_TICK);
    counters_stand_still(&cpu, 500);
    CHECK(window(&cpu, &theft));
    CHECK(theft.stolen_ns == 100U * NS_PER_TICK);
    CHECK(theft.mark_cycles == 100 * (int64_t)CYCLES_PER_TICK);
    CHECK(theft.begin_ticks == 1000 && theft.end_ticks == 1000 + WINDOW_TICKS + 600);
}

TEST(a_cpu_that_sleeps_has_lost_nothing_where_the_cycle_counter_runs_on)
{
    struct cpu cpu = cpu_in(REGIME_RUNS);
    struct theft theft;

    run_for(&cpu, 100, CYCLES_PER_TICK);
    counters_stand_still(&cpu, WINDOW_TICKS);
    CHECK(!window(&cpu, &theft));
    CHECK(theft.stolen_ns == 0);
}

TEST(where_the_firmware_stops_both_the_system_counter_has_the_time_and_the_mark_says_whose_it_is)
{
    struct cpu cpu = cpu_in(REGIME_STOPS);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 3000, MARK);
    CHECK(window(&cpu, &theft));
    CHECK(theft.stolen_ns == 3000U * NS_PER_TICK);
    CHECK(theft.mark_cycles == MARK);
}

TEST(an_overflow_of_the_counters_leaves_no_mark_and_is_no_theft)
{
    struct cpu cpu = cpu_in(REGIME_STOPS);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    counters_stand_still(&cpu, 3000);
    CHECK(!window(&cpu, &theft));
    CHECK(theft.stolen_ns == 0);
}

TEST(what_two_readings_scatter_by_is_no_theft)
{
    struct cpu cpu = cpu_in(REGIME_STOPS);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    cpu.now.cycles += 10;
    CHECK(!window(&cpu, &theft));
    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    cpu.now.cycles -= 12;
    CHECK(!window(&cpu, &theft));
    CHECK(cpu.meter.lowest_mark_cycles == -12);
}

TEST(a_new_clock_of_the_cpu_is_learned_from_windows_in_which_nothing_was_taken)
{
    struct cpu cpu = cpu_in(REGIME_STOPS);
    struct theft theft;

    for (unsigned i = 0; i < RATES_KEPT; i++) {
        run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK / 2U);
        CHECK(!window(&cpu, &theft));
    }
    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK / 2U);
    firmware_takes(&cpu, 3000, MARK);
    CHECK(window(&cpu, &theft));
    CHECK(theft.stolen_ns == 3000U * NS_PER_TICK);
}

TEST(one_window_in_which_the_counters_stood_still_does_not_bend_the_next_ones)
{
    struct cpu cpu = cpu_in(REGIME_STOPS);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    counters_stand_still(&cpu, WINDOW_TICKS);
    CHECK(!window(&cpu, &theft));
    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 200, MARK);
    CHECK(window(&cpu, &theft));
    CHECK(theft.stolen_ns == 200U * NS_PER_TICK);
}

TEST(without_marks_the_system_counter_alone_decides)
{
    struct cpu cpu = cpu_in(REGIME_UNMARKED);
    struct theft theft;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 100, 0);
    CHECK(window(&cpu, &theft));
    CHECK(theft.stolen_ns == 100U * NS_PER_TICK);
    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 3, 0);
    CHECK(!window(&cpu, &theft));
}

TEST(a_reading_that_took_too_long_is_torn_where_the_system_counter_counts)
{
    struct cpu stops = cpu_in(REGIME_STOPS);
    struct cpu runs = cpu_in(REGIME_RUNS);

    CHECK(!meter_torn(&stops.meter.rules, &stops.now, METER_STRICT));
    stops.now.after_ticks += 20;
    CHECK(meter_torn(&stops.meter.rules, &stops.now, METER_STRICT));
    CHECK(!meter_torn(&stops.meter.rules, &stops.now, METER_LENIENT));
    stops.now.after_ticks += 40;
    runs.now.after_ticks += 60;
    CHECK(meter_torn(&stops.meter.rules, &stops.now, METER_LENIENT));
    CHECK(!meter_torn(&runs.meter.rules, &runs.now, METER_STRICT));
}

TEST(counters_are_apart_where_they_moved_in_either_direction_by_more_than_the_noise)
{
    struct cpu cpu = cpu_in(REGIME_RUNS);
    const struct meter_rules *rules = &cpu.meter.rules;
    struct reading whole = cpu.now;
    struct reading torn = cpu.now;

    torn.cycles += 10;
    CHECK(!meter_apart(rules, &whole, &torn) && !meter_apart(rules, &torn, &whole));
    torn.cycles += 1;
    CHECK(meter_apart(rules, &whole, &torn) && meter_apart(rules, &torn, &whole));
}

TEST(what_was_taken_stays_apart_from_before_and_what_tore_a_reading_does_not)
{
    struct cpu cpu = cpu_in(REGIME_RUNS);
    struct reading before = cpu.now;

    run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
    firmware_takes(&cpu, 100, 100U * CYCLES_PER_TICK);
    struct reading first = cpu.now;

    run_for(&cpu, 60, CYCLES_PER_TICK);
    CHECK(meter_apart(&cpu.meter.rules, &before, &first) && !meter_apart(&cpu.meter.rules, &first, &cpu.now));
}

TEST(sums_add_up_to_the_windows_and_know_the_worst)
{
    struct cpu cpu = cpu_in(REGIME_RUNS);
    struct meter_sums sums = { 0 };
    struct theft theft;

    for (unsigned taken = 0; taken < 3; taken++) {
        run_for(&cpu, WINDOW_TICKS, CYCLES_PER_TICK);
        firmware_takes(&cpu, 100U * taken, 100U * taken * CYCLES_PER_TICK);
        bool marked = window(&cpu, &theft);

        meter_add(&sums, &theft, marked);
    }
    CHECK(sums.windows == 3 && sums.marked == 2);
    CHECK(sums.measured_ticks == 3U * WINDOW_TICKS + 300U);
    CHECK(sums.stolen_ns == 300U * NS_PER_TICK && sums.worst_ns == 200U * NS_PER_TICK);
}
