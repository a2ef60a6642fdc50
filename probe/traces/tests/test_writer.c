/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cmocka_needs.h"
#include "read_records.h"
#include "writer.h"

#define LIMIT_BYTES (1U << 20)
#define EL1 1U
#define EL3 7U
#define SMC 0xd4000003U
#define ADD 0x8b020020U
#define RETURN 0xd69f03e0U
#define WAIT 0xd503207fU
#define UNKNOWN_SYNDROME 0x100U
#define UNKNOWN_RETURN 0x200U

static const struct trace_source of_ps = { .name = "a test", .unit = "ps", .femtoseconds = 1000, .arch = ARCH_AARCH64 };
static const struct trace_source of_nothing = { .name = "a test", .unit = "", .unknown = SOURCE_NO_TIME | SOURCE_NO_REGISTERS, .arch = ARCH_AARCH64 };
static uint64_t now;
static struct trace_core *core;

static void begin(const struct trace_source *source)
{
    writer_open(open_memstream(&bytes, &size), "memory", LIMIT_BYTES, source);
    core = writer_core(0x102);
    now = 100;
}

static void finish(void)
{
    writer_close();
}

static int end(void **state)
{
    (void)state;
    free(bytes);
    bytes = NULL;
    return 0;
}

static void run(uint8_t world, uint64_t address, uint32_t opcode)
{
    struct trace_instruction instruction = { .address = address, .time = now, .opcode = opcode, .bytes = 4, .world = world };

    now += 10;
    writer_executed(core, &instruction);
}

static const struct crossing *crossing(int number)
{
    return (const struct crossing *)record_of(RECORD_CROSSING, number)->body;
}

/* Two instructions in EL1, of which the second calls, three in EL3, one more in EL1. */
static void call(void)
{
    run(EL1, 0x1000, ADD);
    writer_register(core, 0, 0x84000000);
    run(EL1, 0x1004, SMC);
    run(EL3, 0x8400, ADD);
    run(EL3, 0x8404, ADD);
    writer_register(core, 0, 5);
    run(EL3, 0x8408, RETURN);
    run(EL1, 0x1008, ADD);
}

static void a_call_is_two_crossings_with_counts_times_and_arguments(void **state)
{
    (void)state;
    begin(&of_ps);
    call();
    finish();
    assert_int_equal(crossing(0)->from, WORLD_NONE);
    assert_int_equal(crossing(0)->count, 0);
    assert_int_equal(crossing(1)->instructions, 2);
    assert_int_equal(crossing(1)->address, 0x8400);
    assert_int_equal(crossing(1)->from, EL1);
    assert_int_equal(crossing(1)->to, EL3);
    assert_int_equal(crossing(1)->count, 10);
    assert_int_equal(crossing(1)->registers[0], 0x84000000);
    assert_int_equal(crossing(1)->unknown, 0xfe);
    assert_int_equal(crossing(1)->registers[8], 0x5e000000);
    assert_int_equal(crossing(1)->registers[9], 0x1008);
    assert_int_equal(crossing(2)->instructions, 5);
    assert_int_equal(crossing(2)->count, 8);
    assert_int_equal(crossing(2)->registers[0], 5);
    assert_int_equal(record_of(RECORD_TIME, 1)->body[0], 2);
    assert_int_equal(record_of(RECORD_TIME, 1)->body[1], 120);
    assert_int_equal(record_of(RECORD_TIME, 2)->body[1], 150);
}

static void the_code_of_the_measured_world_is_one_fragment_with_its_time(void **state)
{
    const struct record *fragment, *path, *spent;

    (void)state;
    begin(&of_ps);
    call();
    finish();
    fragment = record_of(RECORD_FRAGMENT, 0);
    path = record_of(RECORD_PATH, 0);
    spent = record_of(RECORD_SPENT, 0);
    assert_int_equal(fragment->body[0], 0x8400);
    assert_int_equal(fragment->body[1] >> 32, 3);
    assert_int_equal(fragment->body[3], (uint64_t)ADD << 32 | ADD);
    assert_null(record_of(RECORD_FRAGMENT, 1));
    assert_int_equal(path->body[0], 1ULL << 32);
    assert_int_equal(spent->body[0], 0);
    assert_int_equal(spent->body[2], 30);
    assert_null(record_of(RECORD_PATH, 1));
}

static void a_cause_that_is_written_goes_before_what_the_instruction_says(void **state)
{
    (void)state;
    begin(&of_ps);
    run(EL1, 0x1000, SMC);
    writer_syndrome(core, 3, 0x60000000);
    writer_return_address(core, 3, 0x1000);
    run(EL3, 0x8400, RETURN);
    run(EL1, 0x1000, ADD);
    writer_syndrome(core, 1, 0x60000000); /* of another level */
    run(EL3, 0x8480, RETURN);
    finish();
    assert_int_equal(crossing(1)->registers[8], 0x60000000);
    assert_int_equal(crossing(1)->registers[9], 0x1000);
    assert_int_equal(crossing(3)->registers[8], 0);
    assert_int_equal(crossing(3)->unknown & (UNKNOWN_SYNDROME | UNKNOWN_RETURN), UNKNOWN_SYNDROME | UNKNOWN_RETURN);
}

static void behind_a_gap_the_core_begins_anew(void **state)
{
    struct trace_gap gap = { .kind = GAP_LOST, .world = EL3, .instructions = 12, .until = 200, .place = 9 };
    const struct record *record;

    (void)state;
    begin(&of_ps);
    writer_register(core, 0, 3);
    run(EL3, 0x8400, ADD);
    writer_gap(core, &gap);
    run(EL3, 0x8500, ADD);
    run(EL1, 0x1000, ADD);
    finish();
    record = record_of(RECORD_GAP, 0);
    assert_int_equal(record->body[0], GAP_LOST | EL3 << 8);
    assert_int_equal(record->body[1], 1);
    assert_int_equal(record->body[2], 12);
    assert_int_equal(record->body[3], 100);
    assert_int_equal(record->body[4], 200);
    assert_int_equal(record->body[5], 9);
    assert_int_equal(crossing(1)->from, WORLD_NONE);
    assert_int_equal(crossing(2)->unknown, 0xff);
    assert_int_equal(record_of(RECORD_GAP, 1)->body[0], GAP_STOP | EL1 << 8);
    assert_int_equal(record_of(RECORD_GAP, 1)->body[1], 3);
}

static void what_ran_last_is_in_the_stream_though_no_crossing_follows(void **state)
{
    (void)state;
    begin(&of_ps);
    run(EL3, 0x8400, ADD);
    finish();
    assert_non_null(record_of(RECORD_PATH, 0));
    assert_int_equal(record_of(RECORD_END, 0)->body[1], 0);
}

static void a_source_without_a_clock_has_no_times(void **state)
{
    (void)state;
    begin(&of_nothing);
    call();
    finish();
    assert_null(record_of(RECORD_TIME, 0));
    assert_null(record_of(RECORD_SPENT, 0));
    assert_int_equal(record_of(RECORD_SOURCE, 0)->body[0] & UINT32_MAX, SOURCE_NO_TIME | SOURCE_NO_REGISTERS);
}

static void instructions_without_opcodes_are_counted_and_belong_to_no_code(void **state)
{
    struct trace_instruction blank = { .address = 0x8400, .time = 5, .world = EL3 };

    (void)state;
    begin(&of_ps);
    writer_executed(core, &blank);
    writer_executed(core, &blank);
    finish();
    assert_null(record_of(RECORD_PATH, 0));
    assert_int_equal(record_of(RECORD_PROFILE, 0)->body[0], 2);
    assert_int_equal(record_of(RECORD_GAP, 0)->body[1], 2);
}

static void a_sleep_has_the_time_of_its_instruction_and_the_wake_up_that_of_the_next(void **state)
{
    (void)state;
    begin(&of_ps);
    run(EL3, 0x8400, ADD);
    run(EL3, 0x8404, WAIT);
    now = 1000;
    run(EL3, 0x8408, ADD);
    run(EL1, 0x1000, ADD);
    finish();
    assert_int_equal(record_of(RECORD_SLEEP, 0)->body[0], 2);
    assert_int_equal(record_of(RECORD_WAKE, 0)->body[0], 2);
    assert_int_equal(record_of(RECORD_TIME, 1)->body[1], 110);
    assert_int_equal(record_of(RECORD_TIME, 2)->body[1], 1000);
    assert_int_equal(record_of(RECORD_SPENT, 0)->body[2], 10);
    assert_int_equal(record_of(RECORD_SPENT, 1)->body[2], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_call_is_two_crossings_with_counts_times_and_arguments, end),
        cmocka_unit_test_teardown(the_code_of_the_measured_world_is_one_fragment_with_its_time, end),
        cmocka_unit_test_teardown(a_cause_that_is_written_goes_before_what_the_instruction_says, end),
        cmocka_unit_test_teardown(behind_a_gap_the_core_begins_anew, end),
        cmocka_unit_test_teardown(what_ran_last_is_in_the_stream_though_no_crossing_follows, end),
        cmocka_unit_test_teardown(a_source_without_a_clock_has_no_times, end),
        cmocka_unit_test_teardown(instructions_without_opcodes_are_counted_and_belong_to_no_code, end),
        cmocka_unit_test_teardown(a_sleep_has_the_time_of_its_instruction_and_the_wake_up_that_of_the_next, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
