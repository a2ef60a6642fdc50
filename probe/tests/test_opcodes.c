/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "opcodes.h"

static bool a64_may_leave(uint32_t bits)
{
    return opcode_may_leave(ARCH_AARCH64, false, (struct opcode) { bits, 4 });
}

static enum sleep sleep_of(enum arch arch, uint32_t bits, size_t bytes)
{
    return opcode_sleep(arch, false, (struct opcode) { bits, bytes });
}

static void loads_and_stores_of_a64_may_leave_their_block(void **state)
{
    static const uint32_t memory[] = {
        0xf9400020, /* ldr x0, [x1] */
        0xb9000020, /* str w0, [x1] */
        0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
        0x885ffc20, /* ldaxr w0, [x1] */
        0xc8a27c20, /* cas x2, x0, [x1] */
        0xf8200021, /* ldadd x0, x1, [x1] */
        0x58000040, /* ldr x0, label */
        0x4c407020, /* ld1 {v0.16b}, [x1] */
        0x3dc00020, /* ldr q0, [x1] */
        0xd50b7e20, /* dc civac, x0 */
        0xd50b7420, /* dc zva, x0 */
        0xd5087800, /* at s1e1r, x0 */
        0xd50b7520, /* ic ivau, x0 */
        0xf9800020, /* prfm pldl1keep, [x1] */
        0xa400a020, /* ld1b {z0.b}, p0/z, [x1] */
        0xa4026021, /* ldff1b {z1.b}, p0/z, [x1, x2] */
        0xe400e020, /* st1b {z0.b}, p0, [x1] */
        0x85804020, /* ldr z0, [x1] */
        0xc4204020, /* ld1b {z0.d}, p0/z, [x1, z0.d, sxtw] */
        0xe1000020, /* ldr za[w12, 0], [x1] */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
        assert_true(a64_may_leave(memory[i]));
    }
}

static void whatever_a_higher_level_may_trap_may_leave_its_block(void **state)
{
    static const uint32_t trapped[] = {
        0xd5380400, /* mrs x0, id_aa64pfr0_el1 */
        0xd5182020, /* msr ttbr0_el1, x1 */
        0xd53be040, /* mrs x0, cntvct_el0 */
        0xd51b4200, /* msr nzcv, x0 */
        0xd50342df, /* msr daifset, #2 */
        0xd503233f, /* paciasp */
        0xdac10020, /* pacia x0, x1 */
        0x9ac33041, /* pacga x1, x2, x3 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(trapped) / sizeof(trapped[0]); i++) {
        assert_true(a64_may_leave(trapped[i]));
    }
}

/* Where cores run at the same time a WFE does not end QEMU's block. */
static void a_wait_ends_its_stretch(void **state)
{
    (void)state;
    assert_true(a64_may_leave(0xd503205f));
    assert_true(a64_may_leave(0xd503207f));
    assert_true(a64_may_leave(0xd5031005));
}

static void arithmetic_branches_and_barriers_stay_in_their_block(void **state)
{
    static const uint32_t others[] = {
        0x8b020020, /* add x0, x1, x2 */
        0xd2800000, /* mov x0, #0 */
        0x10000000, /* adr x0, . */
        0x54000040, /* b.eq */
        0xd65f03c0, /* ret */
        0xd503201f, /* nop */
        0xd5033f9f, /* dsb sy */
        0xd5033fbf, /* dmb sy */
        0x04220020, /* add z0.b, z1.b, z2.b */
        0x1e622820, /* fadd d0, d1, d2 */
        0x9b020c20, /* madd x0, x1, x2, x3 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(a64_may_leave(others[i]));
    }
}

static void what_is_not_known_may_leave(void **state)
{
    (void)state;
    assert_true(opcode_may_leave(ARCH_AARCH64, true, (struct opcode) { 0xe1a00000, 4 }));
    assert_true(opcode_may_leave(ARCH_ARMV8M, false, (struct opcode) { 0xbf00, 2 }));
    assert_true(opcode_may_leave(ARCH_RISCV, false, (struct opcode) { 0x13, 4 }));
}

static void the_waits_of_each_architecture_are_known(void **state)
{
    (void)state;
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd503207f, 4), SLEEP_WFI);
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd503205f, 4), SLEEP_WFE);
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd5031025, 4), SLEEP_WFI); /* wfit x5 */
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd5031005, 4), SLEEP_WFE); /* wfet x5 */
    assert_int_equal(opcode_sleep(ARCH_AARCH64, true, (struct opcode) { 0xe320f003, 4 }), SLEEP_WFI);
    assert_int_equal(opcode_sleep(ARCH_AARCH64, true, (struct opcode) { 0xe320f002, 4 }), SLEEP_WFE);
    assert_int_equal(sleep_of(ARCH_ARMV8M, 0xbf30, 2), SLEEP_WFI);
    assert_int_equal(sleep_of(ARCH_ARMV8M, 0xbf20, 2), SLEEP_WFE);
    assert_int_equal(sleep_of(ARCH_RISCV, 0x10500073, 4), SLEEP_WFI);
}

static void other_hints_are_no_waits(void **state)
{
    (void)state;
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd503203f, 4), SLEEP_NONE); /* yield */
    assert_int_equal(sleep_of(ARCH_AARCH64, 0xd503201f, 4), SLEEP_NONE); /* nop */
    assert_int_equal(sleep_of(ARCH_ARMV8M, 0xbf00, 2), SLEEP_NONE); /* nop */
    assert_int_equal(sleep_of(ARCH_RISCV, 0x30200073, 4), SLEEP_NONE); /* mret */
}

static bool may_mask(enum arch arch, uint32_t bits, size_t bytes)
{
    return opcode_may_mask(arch, false, (struct opcode) { .bits = bits, .bytes = bytes });
}

static void what_masks_interrupts_or_opens_them_is_known(void **state)
{
    (void)state;
    assert_true(may_mask(ARCH_AARCH64, 0xd50342df, 4)); /* msr daifset, #2 */
    assert_true(may_mask(ARCH_AARCH64, 0xd50343ff, 4)); /* msr daifclr, #3 */
    assert_true(may_mask(ARCH_AARCH64, 0xd51b4220, 4)); /* msr daif, x0 */
    assert_true(may_mask(ARCH_AARCH64, 0xd51e1105, 4)); /* msr scr_el3, x5 */
    assert_true(may_mask(ARCH_AARCH64, 0xd51c1101, 4)); /* msr hcr_el2, x1 */
    assert_true(may_mask(ARCH_AARCH64, 0xd69f03e0, 4)); /* eret */
    assert_true(may_mask(ARCH_ARMV8M, 0xb672, 2)); /* cpsid i */
    assert_true(may_mask(ARCH_ARMV8M, 0xb661, 2)); /* cpsie f */
    assert_true(may_mask(ARCH_ARMV8M, 0x8811f383, 4)); /* msr basepri, r3 */
    assert_true(may_mask(ARCH_RISCV, 0x30047073, 4)); /* csrci mstatus, 8 */
    assert_true(may_mask(ARCH_RISCV, 0x30200073, 4)); /* mret */
}

static void other_registers_mask_nothing(void **state)
{
    (void)state;
    assert_false(may_mask(ARCH_AARCH64, 0xd53b4220, 4)); /* mrs x0, daif */
    assert_false(may_mask(ARCH_AARCH64, 0xd51e1120, 4)); /* another of EL3 */
    assert_false(may_mask(ARCH_AARCH64, 0xd65f03c0, 4)); /* ret */
    assert_false(may_mask(ARCH_ARMV8M, 0xb510, 2)); /* push {r4, lr} */
    assert_false(may_mask(ARCH_ARMV8M, 0x8310f3ef, 4)); /* mrs r3, primask */
    assert_false(may_mask(ARCH_RISCV, 0x00050513, 4)); /* addi */
    assert_false(opcode_may_mask(ARCH_AARCH64, true, (struct opcode) { 0xd50342df, 4 }));
}

static void returns_from_exceptions_are_told_from_what_goes_on(void **state)
{
    (void)state;
    assert_true(opcode_returns(ARCH_AARCH64, (struct opcode) { 0xd69f03e0, 4 }));
    assert_true(opcode_returns(ARCH_RISCV, (struct opcode) { 0x10200073, 4 }));
    assert_false(opcode_returns(ARCH_AARCH64, (struct opcode) { 0xd50342df, 4 }));
    assert_false(opcode_returns(ARCH_RISCV, (struct opcode) { 0x30047073, 4 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores_of_a64_may_leave_their_block),
        cmocka_unit_test(whatever_a_higher_level_may_trap_may_leave_its_block),
        cmocka_unit_test(a_wait_ends_its_stretch),
        cmocka_unit_test(arithmetic_branches_and_barriers_stay_in_their_block),
        cmocka_unit_test(what_is_not_known_may_leave),
        cmocka_unit_test(the_waits_of_each_architecture_are_known),
        cmocka_unit_test(other_hints_are_no_waits),
        cmocka_unit_test(what_masks_interrupts_or_opens_them_is_known),
        cmocka_unit_test(other_registers_mask_nothing),
        cmocka_unit_test(returns_from_exceptions_are_told_from_what_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
