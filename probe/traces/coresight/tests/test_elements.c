/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_needs.h"
#include "elements.h"
#include "memory.h"
#include "read_records.h"

#define LIMIT_BYTES (1U << 24)
#define EL0 0U
#define EL1 1U
#define EL3 7U
#define CODE 0x8000U
#define WORDS 64U
#define ADD 0x8b020020U
#define SMC 0xd4000003U
#define SMC_AT 3U /* the number of the word */
#define SMC_SYNDROME 0x5e000000U
#define UNKNOWN_SYNDROME 0x100U
#define MUTANTS 2000U
#define SEQUENCE 40U

struct gap {
    uint8_t kind, world;
    uint8_t zeros[6];
    uint64_t instructions, missing, time, until, place;
};

static const struct trace_source without_time = { .name = "CoreSight", .unit = "", .unknown = SOURCE_NO_TIME, .arch = ARCH_AARCH64 };
static const struct trace_source of_cycles = { .name = "CoreSight", .unit = "cycles", .arch = ARCH_AARCH64 };
static uint64_t place;
static struct element_stream stream;

static void begin(const struct trace_source *source)
{
    writer_open(open_memstream(&bytes, &size), "memory", LIMIT_BYTES, source);
    elements_start(&stream, 2, true, (source->unknown & SOURCE_NO_TIME) == 0);
    place = 100;
}

static void finish(void)
{
    elements_finish(&stream);
    writer_close();
}

static int make_memory(void **state)
{
    char path[] = "/tmp/latlab-elements-XXXXXX";
    int file = mkstemp(path);
    const char *reason;
    uint32_t code[WORDS];

    (void)state;
    for (uint32_t i = 0; i < WORDS; i++) {
        code[i] = ADD;
    }
    code[SMC_AT] = SMC;
    assert_int_equal(write(file, code, sizeof(code)), sizeof(code));
    close(file);
    assert_true(memory_add(path, CODE, 0, 0, SPACE_ANY, &reason));
    unlink(path);
    return 0;
}

static int release_memory(void **state)
{
    (void)state;
    memory_release();
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(bytes);
    bytes = NULL;
    return 0;
}

static void take(struct element element)
{
    element.place = ++place;
    elements_take(&stream, &element);
}

static void no_sync(enum element_reason reason)
{
    take((struct element) { .kind = ELEMENT_NO_SYNC, .reason = reason });
}

static void trace_on(enum element_reason reason)
{
    take((struct element) { .kind = ELEMENT_TRACE_ON, .reason = reason });
}

static void context(uint8_t world)
{
    take((struct element) { .kind = ELEMENT_CONTEXT, .world = world });
}

static void range(uint32_t first, uint32_t count)
{
    take((struct element) {
        .kind = ELEMENT_RANGE, .address = CODE + 4 * first, .end = CODE + 4 * (first + count), .instructions = count, .isa = TRACE_A64,
    });
}

static void cycles(uint32_t count)
{
    take((struct element) { .kind = ELEMENT_OTHER, .cycles = count, .has_cycles = true });
}

static void start(void)
{
    no_sync(REASON_START);
    trace_on(REASON_OTHER);
}

static const struct crossing *crossing(int number)
{
    return (const struct crossing *)record_of(RECORD_CROSSING, number)->body;
}

static const struct gap *gap(int number)
{
    return (const struct gap *)record_of(RECORD_GAP, number)->body;
}

static void an_smc_is_two_crossings_with_the_counts_of_the_ranges(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    range(0, 4);
    take((struct element) { .kind = ELEMENT_EXCEPTION, .address = CODE + 16, .has_address = true });
    context(EL3);
    range(8, 5);
    range(20, 2);
    context(EL1);
    range(4, 1);
    finish();
    assert_int_equal(gap(0)->kind, GAP_START);
    assert_int_equal(gap(0)->place, 101);
    assert_int_equal(crossing(1)->from, EL1);
    assert_int_equal(crossing(1)->to, EL3);
    assert_int_equal(crossing(1)->instructions, 4);
    assert_int_equal(crossing(1)->address, CODE + 32);
    assert_int_equal(crossing(1)->registers[8], SMC_SYNDROME);
    assert_int_equal(crossing(1)->registers[9], CODE + 16);
    assert_int_equal(crossing(1)->unknown, 0xff);
    assert_int_equal(crossing(2)->from, EL3);
    assert_int_equal(crossing(2)->instructions, 11);
    assert_int_equal(gap(1)->kind, GAP_STOP);
    assert_int_equal(gap(1)->instructions, 12);
    assert_int_equal(stream.counts.ranges, 4);
}

static void the_code_of_a_measured_world_is_that_of_the_memory_image(void **state)
{
    const struct record *fragment;

    (void)state;
    begin(&without_time);
    start();
    context(EL3);
    range(8, 3);
    finish();
    fragment = record_of(RECORD_FRAGMENT, 0);
    assert_int_equal(fragment->body[0], CODE + 32);
    assert_int_equal(fragment->body[1] >> 32, 3);
    assert_int_equal(fragment->body[3] & UINT32_MAX, ADD);
}

static void an_interrupt_has_its_return_address_and_no_cause(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    range(0, 2);
    take((struct element) { .kind = ELEMENT_EXCEPTION, .address = CODE + 8, .has_address = true });
    context(EL3);
    range(8, 1);
    finish();
    assert_int_equal(crossing(1)->unknown & UNKNOWN_SYNDROME, UNKNOWN_SYNDROME);
    assert_int_equal(crossing(1)->registers[9], CODE + 8);
}

static void code_in_no_image_is_a_gap_of_its_world_each_time(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    range(0, 2);
    take((struct element) { .kind = ELEMENT_NO_MEMORY, .address = 0x1234 });
    take((struct element) { .kind = ELEMENT_NO_MEMORY, .address = 0x5678 });
    range(4, 2);
    finish();
    assert_int_equal(gap(1)->kind, GAP_NO_MEMORY);
    assert_int_equal(gap(1)->world, EL1);
    assert_int_equal(gap(1)->instructions, 2);
    assert_int_equal(gap(1)->place, 105);
    assert_int_equal(gap(2)->kind, GAP_NO_MEMORY);
    assert_int_equal(crossing(1)->from, WORLD_NONE);
    assert_int_equal(crossing(1)->to, EL1);
    assert_int_equal(stream.counts.no_memory, 2);
    assert_int_equal(stream.counts.first_no_memory, 0x1234);
}

static void a_lost_synchronisation_is_one_gap_with_its_reason(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    range(0, 1);
    no_sync(REASON_OVERFLOW);
    trace_on(REASON_OVERFLOW);
    context(EL1);
    range(0, 1);
    no_sync(REASON_BAD_DATA);
    trace_on(REASON_OTHER);
    context(EL1);
    range(0, 1);
    no_sync(REASON_OTHER);
    finish();
    assert_int_equal(gap(1)->kind, GAP_OVERFLOW);
    assert_int_equal(gap(2)->kind, GAP_BAD_DATA);
    assert_int_equal(gap(3)->kind, GAP_NO_SYNC);
    assert_int_equal(gap(4)->kind, GAP_STOP);
    assert_int_equal(gap(4)->instructions, 3);
}

static void a_trace_that_was_off_is_a_gap_unless_it_begins_so(void **state)
{
    (void)state;
    begin(&without_time);
    trace_on(REASON_OTHER);
    context(EL1);
    range(0, 1);
    trace_on(REASON_OTHER);
    range(0, 1);
    trace_on(REASON_OVERFLOW);
    finish();
    assert_int_equal(gap(0)->kind, GAP_START);
    assert_int_equal(gap(1)->kind, GAP_OFF);
    assert_int_equal(gap(2)->kind, GAP_OVERFLOW);
    assert_int_equal(gap(3)->kind, GAP_STOP);
}

static void a_world_that_no_context_says_is_not_known(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    range(0, 3);
    range(8, 2);
    context(EL1);
    range(0, 1);
    no_sync(REASON_OVERFLOW);
    range(0, 4);
    finish();
    assert_int_equal(gap(1)->kind, GAP_NO_WORLD);
    assert_int_equal(gap(1)->world, WORLD_NONE);
    assert_int_equal(gap(1)->missing, 5);
    assert_int_equal(gap(2)->kind, GAP_OVERFLOW);
    assert_int_equal(gap(3)->kind, GAP_NO_WORLD);
    assert_int_equal(gap(3)->missing, 4);
    assert_int_equal(gap(4)->instructions, 1);
    assert_null(record_of(RECORD_CROSSING, 1));
}

static void a_decoder_that_does_not_say_each_world_gives_none(void **state)
{
    (void)state;
    begin(&without_time);
    stream.has_worlds = false;
    start();
    context(WORLD_NO_LEVEL | WORLD_SECURE);
    range(0, 3);
    finish();
    assert_int_equal(gap(1)->kind, GAP_NO_WORLD);
    assert_int_equal(gap(1)->missing, 3);
    assert_null(record_of(RECORD_CROSSING, 0));
}

static void cycles_date_a_switch_only_directly_before_it(void **state)
{
    (void)state;
    begin(&of_cycles);
    start();
    context(EL1);
    range(0, 4);
    cycles(30);
    context(EL3);
    range(8, 5);
    cycles(12);
    context(EL1);
    range(4, 1);
    context(EL3);
    range(8, 1);
    finish();
    assert_int_equal(record_of(RECORD_TIME, 0)->body[0], 4);
    assert_int_equal(record_of(RECORD_TIME, 0)->body[1], 30);
    assert_int_equal(record_of(RECORD_TIME, 1)->body[1], 42);
    assert_null(record_of(RECORD_TIME, 2));
}

static void cycles_across_a_gap_date_nothing(void **state)
{
    (void)state;
    begin(&of_cycles);
    start();
    context(EL1);
    range(0, 1);
    cycles(30);
    take((struct element) { .kind = ELEMENT_NO_MEMORY });
    range(0, 1);
    finish();
    assert_null(record_of(RECORD_TIME, 0));
}

static void a_path_that_is_not_known_is_missing_instructions(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    take((struct element) { .kind = ELEMENT_NO_PATH, .instructions = 9 });
    finish();
    assert_int_equal(gap(1)->kind, GAP_LOST);
    assert_int_equal(gap(1)->missing, 9);
}

static void a_range_whose_ends_do_not_fit_its_count_is_not_counted(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL1);
    take((struct element) { .kind = ELEMENT_RANGE, .address = CODE, .end = CODE + 8, .instructions = UINT32_MAX });
    take((struct element) { .kind = ELEMENT_RANGE, .address = CODE, .end = CODE - 8, .instructions = 1 });
    finish();
    assert_int_equal(gap(1)->kind, GAP_UNREADABLE);
    assert_int_equal(gap(2)->kind, GAP_UNREADABLE);
    assert_int_equal(gap(3)->instructions, 0);
}

static void instructions_without_memory_are_counted_and_belong_to_no_code(void **state)
{
    (void)state;
    begin(&without_time);
    start();
    context(EL3);
    range(WORDS - 2, 5);
    finish();
    assert_int_equal(gap(1)->instructions, 5);
    assert_int_equal(record_of(RECORD_PROFILE, 0)->body[0], 3);
}

static void a_source_without_an_element_is_no_core(void **state)
{
    (void)state;
    begin(&without_time);
    no_sync(REASON_START);
    finish();
    assert_null(record_of(RECORD_CORE, 0));
}

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525U + 1013904223U;
    return (random_state >> 8) % below;
}

static struct element random_element(void)
{
    uint32_t first = next_random(WORDS), count = next_random(8);
    struct element element = {
        .kind = (enum element_kind)next_random(ELEMENT_EXCEPTION + 1),
        .reason = (enum element_reason)next_random(REASON_BAD_DATA + 1),
        .address = CODE + 4 * first,
        .end = CODE + 4 * (first + count),
        .instructions = count,
        .cycles = next_random(50),
        .has_cycles = next_random(2) != 0,
        .has_address = next_random(2) != 0,
        .isa = (uint8_t)next_random(3),
        .world = (uint8_t)next_random(WORLD_NO_LEVEL + WORLD_REALM),
    };

    if (next_random(20) == 0) {
        element.instructions = next_random(UINT32_MAX);
        element.end = (uint64_t)next_random(UINT32_MAX) << 8;
    }
    return element;
}

/* What the stream has of a core: instructions with a world, and those without, which are all that the elements had. */
static uint64_t instructions_of_stream(void)
{
    uint64_t sum = 0;
    const struct record *record;

    for (int i = 0; (record = record_of(RECORD_GAP, i)) != NULL; i++) {
        const struct gap *one = (const struct gap *)record->body;

        sum += one->kind == GAP_NO_WORLD ? one->missing : one->kind == GAP_STOP ? one->instructions : 0;
    }
    return sum;
}

static void no_order_of_elements_loses_an_instruction_or_lets_a_figure_span_a_gap(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < MUTANTS; seed++) {
        random_state = seed;
        begin(seed % 2 == 0 ? &of_cycles : &without_time);
        for (uint32_t i = 0; i < SEQUENCE; i++) {
            take(random_element());
        }
        finish();
        assert_int_equal(instructions_of_stream(), stream.counts.instructions);
        for (size_t at = HEADER_BYTES, is_cut = 1; at < size; at += ((const struct record *)(bytes + at))->bytes) {
            const struct record *record = (const struct record *)(bytes + at);

            if (record->kind == RECORD_CROSSING) {
                assert_int_equal(((const struct crossing *)record->body)->from == WORLD_NONE, is_cut);
                is_cut = 0;
            }
            is_cut |= record->kind == RECORD_GAP;
        }
        free(bytes);
        bytes = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_smc_is_two_crossings_with_the_counts_of_the_ranges, end),
        cmocka_unit_test_teardown(the_code_of_a_measured_world_is_that_of_the_memory_image, end),
        cmocka_unit_test_teardown(an_interrupt_has_its_return_address_and_no_cause, end),
        cmocka_unit_test_teardown(code_in_no_image_is_a_gap_of_its_world_each_time, end),
        cmocka_unit_test_teardown(a_lost_synchronisation_is_one_gap_with_its_reason, end),
        cmocka_unit_test_teardown(a_trace_that_was_off_is_a_gap_unless_it_begins_so, end),
        cmocka_unit_test_teardown(a_world_that_no_context_says_is_not_known, end),
        cmocka_unit_test_teardown(a_decoder_that_does_not_say_each_world_gives_none, end),
        cmocka_unit_test_teardown(cycles_date_a_switch_only_directly_before_it, end),
        cmocka_unit_test_teardown(cycles_across_a_gap_date_nothing, end),
        cmocka_unit_test_teardown(a_path_that_is_not_known_is_missing_instructions, end),
        cmocka_unit_test_teardown(a_range_whose_ends_do_not_fit_its_count_is_not_counted, end),
        cmocka_unit_test_teardown(instructions_without_memory_are_counted_and_belong_to_no_code, end),
        cmocka_unit_test_teardown(a_source_without_an_element_is_no_core, end),
        cmocka_unit_test_teardown(no_order_of_elements_loses_an_instruction_or_lets_a_figure_span_a_gap, end),
    };

    return cmocka_run_group_tests(tests, make_memory, release_memory);
}
