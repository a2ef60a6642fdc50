/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "result.h"

#define AT 0x80001004U
#define NOT_KNOWN 0x5a5a5a5aU

static const struct general_registers registers = { .values = { [1] = 0x1111222233334444, [9] = 5 }, .known = 1U << 1 | 1U << 9 };

/* What it writes, or NOT_KNOWN. */
static uint64_t result(uint32_t opcode, uint32_t expected_number)
{
    struct trace_instruction instruction = { .address = AT, .opcode = opcode, .bytes = 4, .isa = TRACE_A64 };
    uint32_t number;
    uint64_t value;

    if (!result_of(&instruction, &registers, &number, &value)) {
        return NOT_KNOWN;
    }
    assert_int_equal(number, expected_number);
    return value;
}

static void constants_are_moved(void **state)
{
    (void)state;
    assert_int_equal(result(0xd2a00200, 0), 0x100000); /* mov x0, #0x100000 */
    assert_int_equal(result(0x92800000, 0), UINT64_MAX); /* mov x0, #-1 */
    assert_int_equal(result(0x12800000, 0), UINT32_MAX); /* mov w0, #-1 */
    assert_int_equal(result(0xf2b84001, 1), 0x11112222c2004444); /* movk x1, #0xc200, lsl #16 */
    assert_int_equal(result(0xf2b84000, 0), NOT_KNOWN);
}

static void constants_are_added_and_subtracted(void **state)
{
    (void)state;
    assert_int_equal(result(0xd1000529, 9), 4); /* sub x9, x9, #1 */
    assert_int_equal(result(0xf1000520, 0), 4); /* subs x0, x9, #1 */
    assert_int_equal(result(0x91400520, 0), 0x1005); /* add x0, x9, #1, lsl #12 */
    assert_int_equal(result(0x11000420, 0), 0x33334445); /* add w0, w1, #1 */
    assert_int_equal(result(0x910003e0, 0), NOT_KNOWN); /* mov x0, sp */
    assert_int_equal(result(0xf100053f, 0), NOT_KNOWN); /* cmp x9, #1 */
}

static void registers_are_copied(void **state)
{
    (void)state;
    assert_int_equal(result(0xaa0103e0, 0), 0x1111222233334444); /* mov x0, x1 */
    assert_int_equal(result(0x2a0103e0, 0), 0x33334444); /* mov w0, w1 */
    assert_int_equal(result(0xaa1f03e0, 0), 0); /* mov x0, xzr */
    assert_int_equal(result(0xaa0203e0, 0), NOT_KNOWN); /* mov x0, x2 */
    assert_int_equal(result(0xaa0107e0, 0), NOT_KNOWN); /* mov x0, x1, lsl #1 */
}

static void addresses_of_code_are_those_of_the_instruction(void **state)
{
    (void)state;
    assert_int_equal(result(0x10000020, 0), AT + 4); /* adr x0, .+4 */
    assert_int_equal(result(0x10ffffe0, 0), AT - 4); /* adr x0, .-4 */
    assert_int_equal(result(0xb0000000, 0), 0x80002000); /* adrp x0, .+0x1000 */
    assert_int_equal(result(0xf0ffffe0, 0), 0x80000000); /* adrp x0, .-0x1000 */
}

static void a_branch_leads_where_its_register_points(void **state)
{
    struct trace_instruction branch = { .opcode = 0xd61f0120, .bytes = 4, .isa = TRACE_A64 }; /* br x9 */
    uint64_t address = 0;

    (void)state;
    assert_true(result_target(&branch, &registers, &address));
    assert_int_equal(address, 5);
    branch.opcode = 0xd65f03c0; /* ret */
    assert_false(result_target(&branch, &registers, &address));
    branch.opcode = 0xd61f0140; /* br x10 */
    assert_false(result_target(&branch, &registers, &address));
    branch.opcode = 0xd503201f; /* nop */
    assert_false(result_target(&branch, &registers, &address));
}

static void of_other_instructions_nothing_is_known(void **state)
{
    struct trace_instruction thumb = { .opcode = 0x2001, .bytes = 2, .isa = TRACE_T32 };
    uint32_t number;
    uint64_t value;

    (void)state;
    assert_int_equal(result(0xf9400149, 9), NOT_KNOWN); /* ldr x9, [x10] */
    assert_int_equal(result(0x8b010020, 0), NOT_KNOWN); /* add x0, x1, x1 */
    assert_false(result_of(&thumb, &registers, &number, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_moved),
        cmocka_unit_test(constants_are_added_and_subtracted),
        cmocka_unit_test(registers_are_copied),
        cmocka_unit_test(addresses_of_code_are_those_of_the_instruction),
        cmocka_unit_test(a_branch_leads_where_its_register_points),
        cmocka_unit_test(of_other_instructions_nothing_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
