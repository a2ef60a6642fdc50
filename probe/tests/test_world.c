/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "world.h"

#define MISA_WITH_H 0x1411adU

static void the_level_of_aarch64_stands_in_bits_3_and_2(void **state)
{
    (void)state;
    assert_int_equal(world_level_of_cpsr(0x3cd), 3);
    assert_int_equal(world_level_of_cpsr(0x3c9), 2);
    assert_int_equal(world_level_of_cpsr(0x3c5), 1);
    assert_int_equal(world_level_of_cpsr(0), 0);
}

static void aarch32_below_aarch64_is_where_its_caller_returned_to(void **state)
{
    (void)state;
    assert_int_equal(world_level_of_aarch32(1, 0x10), 0);
    assert_int_equal(world_level_of_aarch32(2, 0x1d3), 1);
    assert_int_equal(world_level_of_aarch32(3, 0x1d3), 1);
    assert_int_equal(world_level_of_aarch32(3, 0x1da), 2);
}

/* What follows is not seen, so an interrupt taken there must not make another world of it. */
static void the_user_mode_of_an_aarch32_system_counts_as_the_system(void **state)
{
    (void)state;
    assert_int_equal(world_level_of_aarch32(3, 0x10), 1);
    assert_int_equal(world_level_of_aarch32(2, 0x10), 1);
}

static void el3_is_secure_whatever_scr_says(void **state)
{
    (void)state;
    assert_int_equal(world_of_aarch64(3, SCR_NS), 3 | WORLD_SECURE);
    assert_int_equal(world_of_aarch64(3, 0), 3 | WORLD_SECURE);
}

static void below_el3_scr_says_the_security_state(void **state)
{
    (void)state;
    assert_int_equal(world_of_aarch64(1, SCR_NS), 1);
    assert_int_equal(world_of_aarch64(1, 0), 1 | WORLD_SECURE);
    assert_int_equal(world_of_aarch64(2, SCR_NS | 1ULL << 62), 2 | WORLD_REALM);
}

static void address_bit_28_and_the_exception_number_make_an_m_profile_world(void **state)
{
    (void)state;
    assert_int_equal(world_of_armv8m(0x61000000, 0x10000400), WORLD_SECURE);
    assert_int_equal(world_of_armv8m(0x6100000b, 0x10000400), WORLD_SECURE | 1);
    assert_int_equal(world_of_armv8m(0x61000000, 0x00100400), 0);
    assert_int_equal(world_of_armv8m(0x61000013, 0x00100400), 1);
}

static void v_and_the_hypervisor_extension_make_worlds_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(world_of_riscv(0, 0), 0);
    assert_int_equal(world_of_riscv(1, 0), 1);
    assert_int_equal(world_of_riscv(3, 0), 3);
    assert_int_equal(world_of_riscv(0, MISA_WITH_H), 0);
    assert_int_equal(world_of_riscv(1, MISA_WITH_H), 2);
    assert_int_equal(world_of_riscv(3, MISA_WITH_H), 3);
    assert_int_equal(world_of_riscv(4, MISA_WITH_H), WORLD_GUEST);
    assert_int_equal(world_of_riscv(5, MISA_WITH_H), WORLD_GUEST | 1);
}

static void changes_between_a_system_and_its_processes_carry_no_registers(void **state)
{
    (void)state;
    assert_false(world_change_has_registers(ARCH_AARCH64, 0, 1));
    assert_false(world_change_has_registers(ARCH_AARCH64, 1 | WORLD_SECURE, WORLD_SECURE));
    assert_false(world_change_has_registers(ARCH_RISCV, 0, 1));
    assert_true(world_change_has_registers(ARCH_AARCH64, 1, 3 | WORLD_SECURE));
    assert_true(world_change_has_registers(ARCH_AARCH64, 1, 2));
    assert_true(world_change_has_registers(ARCH_RISCV, 1, 3));
    assert_false(world_change_has_registers(ARCH_RISCV, 0, 2));
    assert_false(world_change_has_registers(ARCH_RISCV, 2, 0));
    assert_false(world_change_has_registers(ARCH_RISCV, 4, 5));
    assert_true(world_change_has_registers(ARCH_RISCV, 5, 2));
    assert_true(world_change_has_registers(ARCH_RISCV, 4, 2));
    assert_true(world_change_has_registers(ARCH_RISCV, 2, 5));
    assert_true(world_change_has_registers(ARCH_RISCV, 5, 3));
    assert_true(world_change_has_registers(ARCH_RISCV, 3, 4));
    assert_true(world_change_has_registers(ARCH_RISCV, 0, 3));
    assert_true(world_change_has_registers(ARCH_RISCV, 3, 2));
    assert_true(world_change_has_registers(ARCH_ARMV8M, 0, WORLD_SECURE));
    assert_false(world_change_has_registers(ARCH_ARMV8M, WORLD_SECURE, WORLD_SECURE | 1));
}

static void the_first_instruction_of_a_core_carries_no_registers(void **state)
{
    (void)state;
    assert_false(world_change_has_registers(ARCH_AARCH64, WORLD_NONE, 3 | WORLD_SECURE));
}

static void what_is_measured_is_el3_secure_realm_and_machine_mode(void **state)
{
    (void)state;
    assert_true(world_is_measured(ARCH_AARCH64, 3 | WORLD_SECURE));
    assert_true(world_is_measured(ARCH_AARCH64, 1 | WORLD_REALM));
    assert_false(world_is_measured(ARCH_AARCH64, 2));
    assert_false(world_is_measured(ARCH_AARCH64, WORLD_NONE));
    assert_true(world_is_measured(ARCH_RISCV, 3));
    assert_false(world_is_measured(ARCH_RISCV, 1));
    assert_false(world_is_measured(ARCH_RISCV, 2));
    assert_false(world_is_measured(ARCH_RISCV, WORLD_GUEST | 1));
    assert_true(world_is_measured(ARCH_ARMV8M, WORLD_SECURE | 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_of_aarch64_stands_in_bits_3_and_2),
        cmocka_unit_test(aarch32_below_aarch64_is_where_its_caller_returned_to),
        cmocka_unit_test(the_user_mode_of_an_aarch32_system_counts_as_the_system),
        cmocka_unit_test(el3_is_secure_whatever_scr_says),
        cmocka_unit_test(below_el3_scr_says_the_security_state),
        cmocka_unit_test(address_bit_28_and_the_exception_number_make_an_m_profile_world),
        cmocka_unit_test(v_and_the_hypervisor_extension_make_worlds_of_their_own),
        cmocka_unit_test(changes_between_a_system_and_its_processes_carry_no_registers),
        cmocka_unit_test(the_first_instruction_of_a_core_carries_no_registers),
        cmocka_unit_test(what_is_measured_is_el3_secure_realm_and_machine_mode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
