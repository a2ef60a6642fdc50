/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_needs.h"
#include "masks.h"

#define IRQ_MASKED 0x80U
#define FIQ_MASKED 0x40U
#define SCR_IRQ 0x2U
#define SCR_FIQ 0x4U
#define SCR_EEL2 (1ULL << 18)
#define HCR_FMO (1ULL << 3)
#define HCR_IMO (1ULL << 4)
#define HCR_TGE (1ULL << 27)
#define HCR_E2H (1ULL << 34)
#define MPV (1ULL << 39)
#define SPV (1ULL << 7)

static void are(struct masks masks, enum mask first, enum mask second)
{
    assert_int_equal(masks.lines[0], first);
    assert_int_equal(masks.lines[1], second);
}

static struct masks at(uint32_t level, uint64_t pstate, uint64_t scr_el3, uint64_t hcr_el2)
{
    struct masks_aarch64 core = { .level = level, .has_el2 = true, .pstate = pstate, .scr_el3 = scr_el3, .hcr_el2 = hcr_el2 };

    return masks_of_aarch64(&core);
}

static void each_line_of_el1_has_a_bit_of_pstate(void **state)
{
    (void)state;
    are(at(1, 0, SCR_NS, 0), MASK_OPEN, MASK_OPEN);
    are(at(1, IRQ_MASKED, SCR_NS, 0), MASK_MASKED, MASK_OPEN);
    are(at(1, FIQ_MASKED, SCR_NS, 0), MASK_OPEN, MASK_MASKED);
    are(at(0, IRQ_MASKED, SCR_NS, 0), MASK_MASKED, MASK_OPEN);
}

static void a_line_that_goes_to_el3_is_masked_in_el3_alone(void **state)
{
    (void)state;
    are(at(1, IRQ_MASKED | FIQ_MASKED, SCR_NS | SCR_FIQ, 0), MASK_MASKED, MASK_OPEN);
    are(at(2, IRQ_MASKED | FIQ_MASKED, SCR_NS | SCR_IRQ, HCR_IMO | HCR_FMO), MASK_OPEN, MASK_MASKED);
    are(at(3, IRQ_MASKED, SCR_IRQ | SCR_FIQ, 0), MASK_MASKED, MASK_OPEN);
}

static void what_goes_to_a_lower_level_waits_whatever_pstate_says(void **state)
{
    (void)state;
    are(at(3, 0, SCR_NS, 0), MASK_MASKED, MASK_MASKED);
    are(at(3, 0, SCR_FIQ, 0), MASK_MASKED, MASK_OPEN);
    are(at(2, 0, SCR_NS, 0), MASK_MASKED, MASK_MASKED);
    are(at(2, 0, SCR_NS, HCR_IMO), MASK_OPEN, MASK_MASKED);
}

static void a_guest_cannot_mask_what_goes_to_its_hypervisor(void **state)
{
    (void)state;
    are(at(1, IRQ_MASKED | FIQ_MASKED, SCR_NS, HCR_IMO), MASK_OPEN, MASK_MASKED);
    are(at(0, IRQ_MASKED | FIQ_MASKED, SCR_NS, HCR_TGE), MASK_OPEN, MASK_OPEN);
    are(at(0, IRQ_MASKED, SCR_NS, HCR_TGE | HCR_E2H), MASK_MASKED, MASK_OPEN);
}

static void the_secure_world_has_a_hypervisor_only_where_it_is_enabled(void **state)
{
    (void)state;
    are(at(1, IRQ_MASKED, 0, HCR_IMO), MASK_MASKED, MASK_OPEN);
    are(at(1, IRQ_MASKED, SCR_EEL2, HCR_IMO), MASK_OPEN, MASK_OPEN);
}

static void what_aarch32_masks_is_not_known_unless_the_line_goes_higher(void **state)
{
    struct masks_aarch64 core = { .level = 1, .is_aarch32 = true, .scr_el3 = SCR_NS | SCR_FIQ };

    (void)state;
    are(masks_of_aarch64(&core), MASK_UNKNOWN, MASK_OPEN);
}

static void a_priority_masks_less_than_primask_and_faultmask(void **state)
{
    (void)state;
    are(masks_of_armv8m(0, 0, 0), MASK_OPEN, MASK_OPEN);
    are(masks_of_armv8m(1, 0, 0), MASK_MASKED, MASK_MASKED);
    are(masks_of_armv8m(0, 1, 0), MASK_MASKED, MASK_MASKED);
    are(masks_of_armv8m(0, 0, 0x20), MASK_OPEN, MASK_MASKED);
}

static void machine_mode_keeps_the_interrupts_of_s_waiting(void **state)
{
    (void)state;
    are(masks_of_riscv(3, 0xa), MASK_OPEN, MASK_MASKED);
    are(masks_of_riscv(3, 0x2), MASK_MASKED, MASK_MASKED);
    are(masks_of_riscv(1, 0), MASK_OPEN, MASK_MASKED);
    are(masks_of_riscv(1, 2), MASK_OPEN, MASK_OPEN);
    are(masks_of_riscv(0, 0), MASK_OPEN, MASK_OPEN);
    are(masks_of_riscv(2, 0), MASK_OPEN, MASK_MASKED);
    are(masks_of_riscv(2, 2), MASK_OPEN, MASK_OPEN);
}

static void a_guest_masks_nothing_of_its_hypervisor(void **state)
{
    (void)state;
    are(masks_of_riscv(4, 0), MASK_OPEN, MASK_OPEN);
    are(masks_of_riscv(5, 0), MASK_OPEN, MASK_OPEN);
}

static void exceptions_begin_at_vectors(void **state)
{
    (void)state;
    assert_true(masks_is_vector(ARCH_AARCH64, 0x800, 0x800));
    assert_true(masks_is_vector(ARCH_AARCH64, 0x800, 0xf80));
    assert_false(masks_is_vector(ARCH_AARCH64, 0x800, 0x804));
    assert_false(masks_is_vector(ARCH_AARCH64, 0x800, 0x1000));
    assert_true(masks_is_vector(ARCH_RISCV, 0x400, 0x400));
    assert_false(masks_is_vector(ARCH_RISCV, 0x400, 0x404));
    assert_true(masks_is_vector(ARCH_RISCV, 0x401, 0x41c));
}

static struct masks before(uint32_t world, uint64_t mstatus, uint64_t hstatus)
{
    struct trap trap = { .world = world, .mstatus = mstatus, .hstatus = hstatus };

    return masks_before_trap(&trap);
}

static void a_trap_keeps_what_was_masked_before_it(void **state)
{
    (void)state;
    are(before(3, 0x880, 0), MASK_OPEN, MASK_MASKED);
    are(before(3, 0x882, 0), MASK_OPEN, MASK_OPEN);
    are(before(3, 0x1800, 0), MASK_MASKED, MASK_MASKED);
    are(before(3, 0x8, 0), MASK_OPEN, MASK_OPEN);
    are(before(1, 0x120, 0), MASK_OPEN, MASK_OPEN);
    are(before(1, 0x102, 0), MASK_OPEN, MASK_MASKED);
    are(before(2, 0x102, 0), MASK_OPEN, MASK_MASKED);
    are(before(1, 0x2, 0), MASK_OPEN, MASK_OPEN);
}

static void a_guest_that_was_trapped_masked_nothing_of_its_hypervisor(void **state)
{
    (void)state;
    are(before(3, MPV | 0x800, 0), MASK_OPEN, MASK_OPEN);
    are(before(2, 0x102, SPV), MASK_OPEN, MASK_OPEN);
    are(before(5, 0x102, 0), MASK_OPEN, MASK_OPEN);
    are(before(3, 0x800, SPV), MASK_OPEN, MASK_MASKED);
}

static void a_trap_says_whether_it_is_one_of_a_guest(void **state)
{
    struct trap traps[] = { { 3, MPV, 0 }, { 2, 0, SPV }, { 5, 0, 0 }, { 3, 0, SPV }, { 2, MPV, 0 }, { 1, 0, 0 } };

    (void)state;
    for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
        assert_int_equal(masks_trap_is_of_guest(&traps[i]), i < 3);
    }
}

static void a_guest_that_was_left_and_not_told_is_noticed(void **state)
{
    struct trap to_machine = { 3, MPV, 0 }, to_hypervisor = { 2, 0, SPV }, of_hypervisor = { 3, 0, SPV }, to_guest = { 5, 0, 0 };

    (void)state;
    assert_true(masks_trap_denies(&to_machine, 2));
    assert_true(masks_trap_denies(&to_machine, 0));
    assert_true(masks_trap_denies(&to_hypervisor, 0));
    assert_false(masks_trap_denies(&to_machine, 5));
    assert_false(masks_trap_denies(&to_hypervisor, 4));
    assert_false(masks_trap_denies(&of_hypervisor, 2));
    assert_false(masks_trap_denies(&to_guest, 2));
    assert_false(masks_trap_denies(&to_hypervisor, 3));
    assert_false(masks_trap_denies(&to_machine, WORLD_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_of_el1_has_a_bit_of_pstate),
        cmocka_unit_test(a_line_that_goes_to_el3_is_masked_in_el3_alone),
        cmocka_unit_test(what_goes_to_a_lower_level_waits_whatever_pstate_says),
        cmocka_unit_test(a_guest_cannot_mask_what_goes_to_its_hypervisor),
        cmocka_unit_test(the_secure_world_has_a_hypervisor_only_where_it_is_enabled),
        cmocka_unit_test(what_aarch32_masks_is_not_known_unless_the_line_goes_higher),
        cmocka_unit_test(a_priority_masks_less_than_primask_and_faultmask),
        cmocka_unit_test(machine_mode_keeps_the_interrupts_of_s_waiting),
        cmocka_unit_test(a_guest_masks_nothing_of_its_hypervisor),
        cmocka_unit_test(exceptions_begin_at_vectors),
        cmocka_unit_test(a_trap_keeps_what_was_masked_before_it),
        cmocka_unit_test(a_guest_that_was_trapped_masked_nothing_of_its_hypervisor),
        cmocka_unit_test(a_trap_says_whether_it_is_one_of_a_guest),
        cmocka_unit_test(a_guest_that_was_left_and_not_told_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
