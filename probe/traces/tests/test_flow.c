/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "flow.h"

#define BASE 0x80001000U

static struct trace_instruction a64(uint32_t opcode)
{
    return (struct trace_instruction) { .address = BASE, .opcode = opcode, .bytes = 4, .isa = TRACE_A64 };
}

static bool leads(uint32_t opcode, uint64_t address)
{
    struct trace_instruction instruction = a64(opcode), next = a64(0xd503201f);

    next.address = address;
    return flow_leads_to(&instruction, &next);
}

static uint32_t writes(uint32_t opcode)
{
    struct trace_instruction instruction = a64(opcode);

    return flow_writes(&instruction);
}

static void an_addition_leads_to_the_next_instruction_alone(void **state)
{
    (void)state;
    assert_true(leads(0x8b020020, BASE + 4)); /* add x0, x1, x2 */
    assert_false(leads(0x8b020020, BASE + 8));
    assert_false(leads(0x8b020020, BASE));
}

static void a_branch_leads_to_its_target_alone_and_a_conditional_one_to_both(void **state)
{
    (void)state;
    assert_true(leads(0x17ffffff, BASE - 4)); /* b .-4 */
    assert_false(leads(0x17ffffff, BASE + 4));
    assert_true(leads(0x94000003, BASE + 12)); /* bl .+12 */
    assert_true(leads(0x54ffffa1, BASE - 12)); /* b.ne .-12 */
    assert_true(leads(0x54ffffa1, BASE + 4));
    assert_false(leads(0x54ffffa1, BASE + 8));
    assert_true(leads(0xb4000040, BASE + 8)); /* cbz x0, .+8 */
    assert_true(leads(0x3607ffe0, BASE - 4)); /* tbz w0, #0, .-4 */
    assert_true(leads(0xd65f03c0, 0x1234)); /* ret */
    assert_true(leads(0xd69f03e0, 0x1234)); /* eret */
}

static void of_other_code_nothing_is_denied(void **state)
{
    struct trace_instruction thumb = { .address = BASE, .opcode = 0x4770, .bytes = 2, .isa = TRACE_T32 };
    struct trace_instruction blank = { .address = BASE, .isa = TRACE_A64 };

    (void)state;
    assert_true(flow_leads_to(&thumb, &blank));
    assert_true(flow_leads_to(&blank, &thumb));
    assert_false(flow_may_end(&blank));
    assert_true(flow_may_end(&thumb));
    assert_int_equal(flow_writes(&thumb), 0);
}

static bool changes(uint32_t opcode, uint8_t world, uint64_t address, uint8_t next_world)
{
    struct trace_instruction instruction = a64(opcode), next = a64(0xd503201f);

    instruction.world = world;
    next.world = next_world;
    next.address = address;
    return flow_leads_to(&instruction, &next);
}

static void another_world_is_entered_at_a_vector_of_a_higher_level_or_by_a_return(void **state)
{
    (void)state;
    assert_true(changes(0xd503201f, 1, 0x8480, 7));
    assert_false(changes(0xd503201f, 1, 0x8484, 7));
    assert_false(changes(0xd4000003, 1, 0x8180, 7)); /* of the level itself */
    assert_true(changes(0xd503201f, 1, 0x8280, 1));
    assert_false(changes(0xd503201f, 1, 0x8480, 1));
    assert_true(changes(0xd69f03e0, 7, 0x1234, 1));
    assert_true(changes(0xd69f0bff, 7, 0x1234, 5)); /* eretaa */
    assert_false(changes(0xd503201f, 7, BASE + 4, 1));
    assert_false(changes(0xd65f03c0, 1, 0x1000, 5)); /* ret */
}

static void an_exception_is_where_the_instruction_does_not_lead(void **state)
{
    struct trace_instruction nop = a64(0xd503201f), vector = a64(0xd503201f), back = a64(0xd69f03e0);

    (void)state;
    vector.address = 0x9280;
    assert_true(flow_is_exception(&nop, &vector));
    assert_false(flow_is_exception(&back, &vector));
    assert_int_equal(flow_vectors(&vector), 0x9000);
    vector.address = BASE + 4;
    assert_false(flow_is_exception(&nop, &vector));
    vector.world = 7;
    assert_true(flow_is_exception(&nop, &vector));
    vector.opcode = 0xd51ec000; /* msr vbar_el3, x0 */
    assert_true(flow_moves_vectors(&vector));
    assert_false(flow_moves_vectors(&nop));
}

static void calls_have_the_syndrome_of_the_architecture(void **state)
{
    struct trace_instruction smc = a64(0xd4000003), svc = a64(0xd4000021), brk = a64(0xd4200000);
    struct trace_instruction a32 = { .opcode = 0xe1600070, .bytes = 4, .isa = TRACE_A32 }, t32 = { .opcode = 0xf7f08000, .bytes = 4, .isa = TRACE_T32 };
    uint64_t syndrome = 1;

    (void)state;
    assert_false(flow_call(&brk, &syndrome));
    assert_int_equal(syndrome, 1);
    assert_true(flow_call(&smc, &syndrome));
    assert_int_equal(syndrome, 0x5e000000);
    assert_true(flow_call(&svc, &syndrome));
    assert_int_equal(syndrome, 0x56000001);
    assert_true(flow_call(&a32, &syndrome));
    assert_int_equal(syndrome >> 26, 0x13);
    assert_true(flow_call(&t32, &syndrome));
    assert_int_equal(syndrome >> 26, 0x13);
}

static void registers_that_an_instruction_writes_are_those_of_a_result(void **state)
{
    (void)state;
    assert_int_equal(writes(0xd2a00200), 1); /* mov x0, #0x100000 */
    assert_int_equal(writes(0x8b020023), 8); /* add x3, x1, x2 */
    assert_int_equal(writes(0x9100001f), 0); /* mov sp, x0 */
    assert_int_equal(writes(0xeb02003f), 0); /* cmp x1, x2 */
    assert_int_equal(writes(0xfa421020), 0); /* ccmp x1, x2, #0, ne */
    assert_int_equal(writes(0xf9400c21), 2); /* ldr x1, [x1, #24] */
    assert_int_equal(writes(0xf9000c21), 0); /* str x1, [x1, #24] */
    assert_int_equal(writes(0xa9400be1), 6); /* ldp x1, x2, [sp] */
    assert_int_equal(writes(0xa9000be1), 0); /* stp x1, x2, [sp] */
    assert_int_equal(writes(0xf9800020), 0); /* prfm pldl1keep, [x1] */
    assert_int_equal(writes(0xb9800020), 1); /* ldrsw x0, [x1] */
    assert_int_equal(writes(0x3dc00020), 0); /* ldr q0, [x1] */
    assert_int_equal(writes(0xd503201f), 0); /* nop */
}

static uint32_t may_write(uint32_t opcode)
{
    struct trace_instruction instruction = a64(opcode);

    return flow_may_write(&instruction);
}

static void what_may_be_written_is_all_where_that_is_not_known(void **state)
{
    (void)state;
    assert_int_equal(may_write(0xd503201f), 0); /* nop */
    assert_int_equal(may_write(0xd4000003), 0); /* smc */
    assert_int_equal(may_write(0x94000003), 1U << 30); /* bl */
    assert_int_equal(may_write(0x8b020023), 8); /* add x3, x1, x2 */
    assert_int_equal(may_write(0xf8408420), 3); /* ldr x0, [x1], #8 */
    assert_int_equal(may_write(0xf8008420), 2); /* str x0, [x1], #8 */
    assert_int_equal(may_write(0xa8c10be1), 6); /* ldp x1, x2, [sp], #16 */
    assert_int_equal(may_write(0xd53800a1), 0x7fffffff); /* mrs x1, mpidr_el1 */
    assert_int_equal(may_write(0xd45e0000), 0x7fffffff); /* hlt */
    assert_int_equal(may_write(0xc85ffc20), 0x7fffffff); /* ldaxr x0, [x1] */
    assert_int_equal(may_write(0xf8200020), 0x7fffffff); /* ldadd x0, x0, [x1] */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_world_is_entered_at_a_vector_of_a_higher_level_or_by_a_return),
        cmocka_unit_test(what_may_be_written_is_all_where_that_is_not_known),
        cmocka_unit_test(an_exception_is_where_the_instruction_does_not_lead),
        cmocka_unit_test(an_addition_leads_to_the_next_instruction_alone),
        cmocka_unit_test(a_branch_leads_to_its_target_alone_and_a_conditional_one_to_both),
        cmocka_unit_test(of_other_code_nothing_is_denied),
        cmocka_unit_test(calls_have_the_syndrome_of_the_architecture),
        cmocka_unit_test(registers_that_an_instruction_writes_are_those_of_a_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
