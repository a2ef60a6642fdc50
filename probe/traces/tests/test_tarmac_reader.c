/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cmocka_needs.h"
#include "read_records.h"
#include "tarmac_reader.h"

#define LIMIT_BYTES (1U << 20)

static const struct tarmac_summary *summary;

static int end(void **state)
{
    (void)state;
    free(bytes);
    bytes = NULL;
    return 0;
}

static void read_trace(const char *const lines[], size_t count)
{
    struct tarmac_options options = { .out_name = "memory", .limit_bytes = LIMIT_BYTES };
    struct tarmac_before before = { .is_memory = false };
    struct tarmac_line line;

    free(bytes);
    bytes = NULL;
    options.out = open_memstream(&bytes, &size);
    tarmac_start(&options);
    for (size_t i = 0; i < count; i++) {
        tarmac_read(lines[i], strlen(lines[i]), &before, &line);
        tarmac_take(&line, lines[i], strlen(lines[i]), (struct tarmac_place) { .line = i + 1 }, i + 1 == count);
    }
    summary = tarmac_finish();
    if (summary->name == NULL) {
        fclose(options.out);
    }
}

#define READ(...)                                             \
    do {                                                      \
        static const char *const lines[] = { __VA_ARGS__ };   \
        read_trace(lines, sizeof(lines) / sizeof(lines[0])); \
    } while (0)

/* The kinds of the gaps of a core, in their order, as digits; letters for those above 9. */
static const char *gaps(uint32_t core)
{
    static char kinds[16];
    const struct record *gap;
    size_t count = 0;

    for (int i = 0; (gap = record_of(RECORD_GAP, i)) != NULL; i++) {
        if (gap->core == core && count + 1 < sizeof(kinds)) {
            kinds[count++] = (char)('0' + (gap->body[0] & 0xff));
        }
    }
    kinds[count] = '\0';
    return kinds;
}

static uint64_t unknown_registers(int crossing)
{
    return record_of(RECORD_CROSSING, crossing)->body[3] >> 32;
}

static void a_whole_trace_has_no_gap_but_its_end(void **state)
{
    (void)state;
    READ("0 clk E 00000000 00000000 CoreEvent_Reset", "1 clk IT (1) 00001000 d2800020 O EL1h_ns : MOV x0,#1", "1 clk R X0 0000000000000001",
         "2 clk IT (2) 00001004 d4000003 O EL1h_ns : SMC #0", "3 clk IT (3) 00008400 d69f03e0 O EL3h_s : ERET",
         "4 clk IT (4) 00001008 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "2");
    assert_int_equal(summary->instructions, 4);
    assert_int_equal(summary->refusal_count, 0);
    assert_int_equal(record_of(RECORD_CROSSING, 1)->body[4], 1);
    assert_int_equal(unknown_registers(1), 0xfe);
    assert_int_equal(record_of(RECORD_TIME, 1)->body[1], 3);
}

static void a_trace_that_begins_late_says_so(void **state)
{
    (void)state;
    READ("1 clk IT (100) 00001000 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "12");
}

static void numbers_that_are_missing_are_a_gap_of_so_many(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "5 clk IT (5) 00001010 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "32");
    assert_int_equal(record_of(RECORD_GAP, 0)->body[2], 3);
    assert_int_equal(record_of(RECORD_GAP, 0)->body[4], 5);
    assert_int_equal(record_of(RECORD_GAP, 0)->body[5], 2);
}

static void numbers_and_times_that_go_back_are_a_gap(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "3 clk IT (2) 00001004 d503201f O EL1h_ns : NOP",
         "2 clk IT (3) 00001008 d503201f O EL1h_ns : NOP", "4 clk IT (2) 0000100c d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "442");
}

static void code_that_goes_on_elsewhere_is_a_gap_without_an_exception(void **state)
{
    (void)state;
    READ("0 tic ES EXC Reset", "1 tic ES (00001000:d503201f) O el1h_ns: NOP", "2 tic ES (00001010:d503201f) O el1h_ns: NOP",
         "  EXC [0x280] IRQ", "3 tic ES (00002004:d503201f) O el1h_ns: NOP", "4 tic ES (00000480:d503201f) O el3h_s: NOP");
    assert_string_equal(gaps(0), "52");
}

static void code_that_goes_elsewhere_than_a_branch_line_says_is_a_gap(void **state)
{
    (void)state;
    READ("0 tic ES EXC Reset", "1 tic ES (00001000:d65f03c0) O el1h_ns: RET", "  BR (0000000000002000) O",
         "2 tic ES (00002000:d65f03c0) O el1h_ns: RET", "3 tic ES (00003000:d503201f) O el1h_ns: NOP",
         "4 tic ES (00003004:14000002) O el1h_ns: B 8", "  BR (0000000000003008) O", "5 tic ES (0000300c:d503201f) O el1h_ns: NOP");
    assert_string_equal(gaps(0), "552");
}

static void lines_of_another_dialect_are_a_gap_and_counted(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "2 clk ES (00001004:d503201f) O el1h_ns: NOP",
         "2 clk ES (00001008:d503201f) O el1h_ns: NOP", "3 clk IT (2) 00001004 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "62");
    assert_int_equal(record_of(RECORD_GAP, 0)->body[2], 2);
    assert_int_equal(summary->instructions, 2);
    assert_int_equal(summary->refusals[0].count, 2);
    assert_int_equal(summary->refusals[0].first_line, 2);
}

static void instructions_without_a_world_are_a_gap(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "2 clk IT (2) 00001004 d503201f O odd_ns : NOP",
         "3 clk IT (3) 00001008 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "72");
}

static void a_line_that_cannot_be_read_is_a_gap_where_it_is_an_instruction(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "2 clk IT (2) 0000z004 d503201f O EL1h_ns : NOP", "what is this",
         "3 clk IT (3) 00001008 d503201f O EL1h_ns : NOP");
    assert_string_equal(gaps(0), "82");
    assert_int_equal(summary->refusal_count, 2);
    assert_string_equal(summary->refusals[1].reason, "a line of unknown form");
    assert_string_equal(summary->refusals[1].text, "what is this");
}

static void a_register_without_its_value_is_not_known(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d2800020 O EL1h_ns : MOV x0,#1", "1 clk R X0 0000000000000001",
         "2 clk IT (2) 00001004 d2800041 O EL1h_ns : MOV x1,#2", "3 clk IT (3) 00001008 d4000003 O EL1h_ns : SMC #0",
         "4 clk IT (4) 00008400 d69f03e0 O EL3h_s : ERET");
    assert_int_equal(unknown_registers(1), 0xfe);
}

static void a_value_of_before_the_last_instruction_is_not_taken(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d2800020 O EL1h_ns : MOV x0,#1", "1 clk R X0 0000000000000001",
         "2 clk IT (2) 00001004 d4000003 O EL1h_ns : SMC #0", "1 clk R X0 0000000000000005",
         "3 clk IT (3) 00008400 d69f03e0 O EL3h_s : ERET");
    assert_int_equal(unknown_registers(1), 0xff);
}

static void cores_are_told_apart_by_name_and_lines_without_one_are_of_the_last(void **state)
{
    (void)state;
    READ("1 clk cluster1.cpu2 IT (1) 00001000 d503201f O EL1h_ns : NOP", "1 clk cpu1 IT (1) 00001000 d503201f O EL1h_ns : NOP",
         "2 clk cluster1.cpu2 IT (2) 00001004 d503201f O EL1h_ns : NOP");
    assert_int_equal(summary->cores, 2);
    assert_int_equal(record_of(RECORD_CORE, 0)->body[0], 0x102);
    assert_int_equal(record_of(RECORD_CORE, 1)->body[0], 1);
    assert_string_equal(gaps(0), "2");
    assert_string_equal(gaps(1), "2");
    assert_string_equal(tarmac_core_name(0), "cluster1.cpu2");
}

static void a_last_line_without_its_end_is_no_gap(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d503201f O EL1h_ns : NOP", "2 clk IT (2) 000010");
    assert_string_equal(gaps(0), "2");
    assert_string_equal(summary->refusals[0].reason, "a last line that is cut off");
}

static void a_trace_without_an_instruction_has_no_name(void **state)
{
    (void)state;
    READ("1 clk R X0 0000000000000001", "hello");
    assert_null(summary->name);
    assert_int_equal(summary->instructions, 0);
}

static void m_profile_has_its_own_worlds(void **state)
{
    (void)state;
    READ("1 clk IT (1) 10001848 bf00 T thread_s : NOP", "2 clk IT (2) 0000184a 4770 T thread_ns : BX lr",
         "3 clk IT (3) 00001900 bf00 O EL1h_ns : NOP");
    assert_int_equal(((const uint16_t *)bytes)[6], ARCH_ARMV8M);
    assert_int_equal(record_of(RECORD_CROSSING, 1)->body[3] & 0xffff, 4);
    assert_int_equal(summary->refusals[0].count, 1);
}

static void a_value_that_the_instructions_do_not_give_is_a_gap(void **state)
{
    (void)state;
    READ("0 tic ES EXC Reset", "1 tic ES (00001000:f9400149) O el1h_ns: LDR x9,[x10]", "  R X9 0000000000000005",
         "2 tic ES (00001004:d1000529) O el1h_ns: SUB x9,x9,#1", "  R X9 0000000000000004",
         "3 tic ES (00001008:b5ffffe9) O el1h_ns: CBNZ x9", "  BR (0000000000001004) O",
         "4 tic ES (00001004:d1000529) O el1h_ns: SUB x9,x9,#1", "  R X9 0000000000000002",
         "5 tic ES (00001008:b5ffffe9) O el1h_ns: CBNZ x9");
    assert_int_equal(record_of(RECORD_GAP, 0)->body[0] & 0xff, GAP_VALUE);
    assert_int_equal(record_of(RECORD_GAP, 0)->body[5], 9);
    assert_int_equal(record_of(RECORD_GAP, 1)->body[0] & 0xff, GAP_STOP);
}

static void a_return_elsewhere_than_the_link_says_is_a_gap(void **state)
{
    (void)state;
    READ("0 tic ES EXC Reset", "1 tic ES (00001000:94000004) O el1h_ns: BL 0x1010", "  R X30 0000000000001004",
         "2 tic ES (00001010:d65f03c0) O el1h_ns: RET", "3 tic ES (00001004:94000003) O el1h_ns: BL 0x1010",
         "  R X30 0000000000001008", "4 tic ES (00001010:d65f03c0) O el1h_ns: RET", "5 tic ES (00001004:94000003) O el1h_ns: BL 0x1010");
    assert_string_equal(gaps(0), "52");
    assert_int_equal(record_of(RECORD_GAP, 0)->body[5], 8);
}

static void an_argument_that_the_instructions_do_not_give_is_not_known(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d2800020 O EL1h_ns : MOV x0,#1", "1 clk R X0 0000000000000009",
         "2 clk IT (2) 00001004 d4000003 O EL1h_ns : SMC #0", "3 clk IT (3) 00008400 d69f03e0 O EL3h_s : ERET");
    assert_int_equal(unknown_registers(2), 0xff);
    assert_int_equal(record_of(RECORD_GAP, 0)->body[0] & 0xff, GAP_VALUE);
}

static void an_exception_elsewhere_than_at_the_vectors_of_the_calls_is_a_gap(void **state)
{
    (void)state;
    READ("1 clk IT (1) 00001000 d4000003 O EL1h_ns : SMC #0", "2 clk IT (2) 00008400 d503201f O EL3h_s : NOP",
         "3 clk IT (3) 00008080 d503201f O EL3h_s : NOP", "4 clk IT (4) 00009080 d503201f O EL3h_s : NOP");
    assert_string_equal(gaps(0), "52");
    assert_int_equal(record_of(RECORD_GAP, 0)->body[5], 4);
    READ("1 clk IT (1) 00001000 d4000003 O EL1h_ns : SMC #0", "2 clk IT (2) 00008400 d51ec000 O EL3h_s : MSR VBAR_EL3,x0",
         "3 clk IT (3) 00009080 d503201f O EL3h_s : NOP");
    assert_string_equal(gaps(0), "2");
}

static void a_core_with_a_name_in_a_trace_without_names_is_a_damaged_line(void **state)
{
    (void)state;
    READ("0 tic ES EXC Reset", "1 tic ES (00001000:d65f03c0) O el1h_ns: RET", "2 tix ES (00002000:d65f03c0) O el1h_ns: RET",
         "c R X0 0000000000000001", "3 tic ES (00003000:d503201f) O el1h_ns: NOP");
    assert_string_equal(gaps(0), "82");
    assert_int_equal(summary->cores, 1);
    assert_string_equal(summary->refusals[0].reason, "a line with the name of a core, in a trace without names");
}

static void gem5_numbers_the_instructions_of_all_cores_together(void **state)
{
    (void)state;
    READ("1 clk cpu0 IT (1) 00001000 d503201f O EL1h_ns :   NOP", "1 clk cpu1 IT (2) 00001000 d503201f O EL1h_ns :   NOP",
         "2 clk cpu0 IT (3) 00001004 d503201f O EL1h_ns :   NOP", "2 clk cpu1 IT (4) 00001004 d503201f O EL1h_ns :   NOP");
    assert_string_equal(gaps(0), "2");
    assert_string_equal(gaps(1), "2");
    assert_string_equal(summary->unit, "ticks");
    READ("1 clk cpu0 IT (1) 00001000 d503201f O EL1h_ns :   NOP", "1 clk cpu1 IT (2) 00001000 d503201f O EL1h_ns :   NOP",
         "2 clk cpu1 IT (4) 00001004 d503201f O EL1h_ns :   NOP", "2 clk cpu0 IT (5) 00001004 d503201f O EL1h_ns :   NOP");
    assert_string_equal(gaps(0), "32");
    assert_string_equal(gaps(1), "32");
}

static void a_core_of_gem5_that_begins_elsewhere_than_the_first_began_before(void **state)
{
    (void)state;
    READ("1 clk cpu0 IT (1) 00001000 d503201f O EL1h_ns :   NOP", "2 clk cpu9 IT (2) 00001004 d503201f O EL1h_ns :   NOP",
         "3 clk cpu0 IT (3) 00001008 d503201f O EL1h_ns :   NOP");
    assert_string_equal(gaps(0), "52");
    assert_string_equal(gaps(1), "12");
}

static uint32_t drawn(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8) % below;
}

/* A line of a trace with letters exchanged, in memory of just its size, so that the sanitizer sees what is read behind it. */
static void take_damaged(const char *line, uint32_t *seed, struct tarmac_before *before, uint64_t number)
{
    static const char letters[] = "0123456789abcdefxIETSRMX ():_-.,\t\xff";
    size_t length = strlen(line) - drawn(seed, 4) % strlen(line);
    char *copy = malloc(length + 1);
    struct tarmac_line read;

    memcpy(copy, line, length);
    for (uint32_t changes = drawn(seed, 4); changes > 0 && length > 0; changes--) {
        copy[drawn(seed, (uint32_t)length)] = letters[drawn(seed, sizeof(letters) - 1)];
    }
    copy = realloc(copy, length > 0 ? length : 1);
    tarmac_read(copy, length, before, &read);
    tarmac_take(&read, copy, length, (struct tarmac_place) { .line = number }, false);
    free(copy);
}

static void damaged_lines_do_no_harm_and_the_stream_is_whole(void **state)
{
    static const char *const lines[] = {
        "1 clk cpu0 IT (1) 00001000 d2800020 O EL1h_ns : MOV x0,#1", "1 clk cpu0 R X0 0000000000000001",
        "2 clk cpu0 IT (2) 00001004 d4000003 O EL1h_ns : SMC #0", "2 clk cpu0 E 00001004 00000088 CoreEvent_LOWER_64_SYNC",
        "2 clk cpu0 R ESR_EL3 000000005e000000", "3 clk cpu1 IT (3) 0000815c:00000000815c_NS f7ffef76 T hyp_n : BLX 0x804c",
        "   4 tic ES  (0000000000008400:d69f03e0) O el3h_s:   ERET", "                    LD 00004020  ........ 626d654d   S:00004020",
        "5 clk cpu0 MW8 000fffe0:0000000fffe0 0000000000000000",
    };
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < 40; round++) {
        struct tarmac_options options = { .out = open_memstream(&bytes, &size), .out_name = "memory", .limit_bytes = LIMIT_BYTES };
        struct tarmac_before before = { .is_memory = false };

        tarmac_start(&options);
        for (uint64_t number = 1; number <= 500; number++) {
            take_damaged(lines[drawn(&seed, sizeof(lines) / sizeof(lines[0]))], &seed, &before, number);
        }
        summary = tarmac_finish();
        if (summary->name == NULL) {
            fclose(options.out);
        } else {
            assert_int_equal(record_of(RECORD_END, 0)->body[1], 0);
        }
        free(bytes);
        bytes = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_whole_trace_has_no_gap_but_its_end, end),
        cmocka_unit_test_teardown(a_trace_that_begins_late_says_so, end),
        cmocka_unit_test_teardown(numbers_that_are_missing_are_a_gap_of_so_many, end),
        cmocka_unit_test_teardown(numbers_and_times_that_go_back_are_a_gap, end),
        cmocka_unit_test_teardown(code_that_goes_on_elsewhere_is_a_gap_without_an_exception, end),
        cmocka_unit_test_teardown(code_that_goes_elsewhere_than_a_branch_line_says_is_a_gap, end),
        cmocka_unit_test_teardown(lines_of_another_dialect_are_a_gap_and_counted, end),
        cmocka_unit_test_teardown(instructions_without_a_world_are_a_gap, end),
        cmocka_unit_test_teardown(a_line_that_cannot_be_read_is_a_gap_where_it_is_an_instruction, end),
        cmocka_unit_test_teardown(a_register_without_its_value_is_not_known, end),
        cmocka_unit_test_teardown(a_value_of_before_the_last_instruction_is_not_taken, end),
        cmocka_unit_test_teardown(cores_are_told_apart_by_name_and_lines_without_one_are_of_the_last, end),
        cmocka_unit_test_teardown(a_value_that_the_instructions_do_not_give_is_a_gap, end),
        cmocka_unit_test_teardown(a_return_elsewhere_than_the_link_says_is_a_gap, end),
        cmocka_unit_test_teardown(an_argument_that_the_instructions_do_not_give_is_not_known, end),
        cmocka_unit_test_teardown(an_exception_elsewhere_than_at_the_vectors_of_the_calls_is_a_gap, end),
        cmocka_unit_test_teardown(a_core_with_a_name_in_a_trace_without_names_is_a_damaged_line, end),
        cmocka_unit_test_teardown(gem5_numbers_the_instructions_of_all_cores_together, end),
        cmocka_unit_test_teardown(a_core_of_gem5_that_begins_elsewhere_than_the_first_began_before, end),
        cmocka_unit_test_teardown(a_last_line_without_its_end_is_no_gap, end),
        cmocka_unit_test_teardown(a_trace_without_an_instruction_has_no_name, end),
        cmocka_unit_test_teardown(m_profile_has_its_own_worlds, end),
        cmocka_unit_test_teardown(damaged_lines_do_no_harm_and_the_stream_is_whole, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
