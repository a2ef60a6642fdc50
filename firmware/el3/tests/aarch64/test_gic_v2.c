/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GICv2 is told, register by register: IHI 0048B. */
#include "gic.h"
#include "harness.h"
#include "registers.h"

#define D 0x8000000U
#define C 0x8010000U

uintptr_t platform_gicd = D;
uintptr_t platform_gicc = C;
uintptr_t platform_gicr = 0;

#define SECURITY_EXTENSIONS (1U << 10)

/* One with the security extensions, as the tests take it where they do not say otherwise. */
void harness_before_each(void)
{
    machine_clear();
    machine_set_device(D + 0x4, SECURITY_EXTENSIONS);
    gic_v2.init_distributor();
    machine_clear();
}

TEST(every_shared_interrupt_is_the_normal_worlds_at_its_highest_priority)
{
    machine_set_device(D + 0x4, 0xFC00U | 2); /* ITLinesNumber in bits 4:0: 96 interrupts */
    for (unsigned word = 1; word < 3; word++) {
        machine_want("[%x]=ffffffff\n", D + 0x80 + 4 * word);
    }
    for (unsigned word = 8; word < 24; word++) {
        machine_want("[%x]=80808080\n", D + 0x400 + 4 * word);
    }
    machine_want("[%x]=1\n", D);
    gic_v2.init_distributor();
    CHECK_TEXT(machine_expected(), machine_written());
}

#define ON "[800040f]=ff\n" /* the wake interrupt's priority: never signalled */
#define CORE_UP "[8000080]=ffff7fff\n[8000100]=8000\n"

TEST(a_core_keeps_the_wake_interrupt_and_opens_the_mask_where_the_normal_world_could_not)
{
    machine_set_device(C + 0x4, 0x7F);
    gic_v2.core_up();
    CHECK_TEXT(CORE_UP "[8010004]=ff\n", machine_written());
    machine_set_device(C + 0x4, 0x80);
    gic_v2.core_up();
    CHECK_TEXT(CORE_UP, machine_written());
}

TEST(no_private_interrupt_of_the_normal_world_begins_with_a_priority_that_it_could_not_give)
{
    machine_set_device(C + 0x4, 0xFF);
    for (unsigned word = 0; word < 8; word++) {
        machine_want("[%x]=80808080\n", D + 0x400 + 4 * word);
    }
    machine_want(ON CORE_UP);
    gic_v2.init_core(3);
    CHECK_TEXT(machine_expected(), machine_written());
}

static void want_off(void)
{
    machine_want("[8010000]=1\n");
    for (unsigned word = 0; word < 4; word++) {
        machine_want("[%x]=0\n[%x]=0\n", C + 0xD0 + 4 * word, C + 0xE0 + 4 * word);
    }
    machine_want("[8010004]=10\n[8000f1f]=ff\n[800040f]=0\n");
}

TEST(a_core_that_goes_off_hears_only_the_wake_interrupt_whatever_was_running)
{
    want_off();
    gic_v2.prepare_off(2);
    CHECK_TEXT(machine_expected(), machine_written());
}

TEST(a_core_that_is_back_closes_its_interface_and_no_wake_interrupt_goes_before_another)
{
    gic_v2.end_off(2);
    CHECK_TEXT(ON "[8010000]=0\n", machine_written());
}

TEST(wake_interrupts_are_forgotten_whoever_sent_them)
{
    gic_v2.forget_wakes(2);
    CHECK_TEXT("[8000f1f]=ff\ndsb sy\n", machine_written());
}

TEST(a_core_is_woken_by_its_bit_of_the_list_of_targets)
{
    gic_v2.send_wake(0);
    gic_v2.send_wake(7);
    CHECK_TEXT("[8000f00]=1000f\n[8000f00]=80000f\n", machine_written());
}

TEST(where_groups_are_everybodys_all_interrupts_stay_in_the_one_that_the_normal_world_turns_on)
{
    machine_set_device(D + 0x4, 0xF800U | 1); /* every bit of TYPER beside the security extensions and ITLinesNumber */
    for (unsigned word = 8; word < 16; word++) {
        machine_want("[%x]=80808080\n", D + 0x400 + 4 * word);
    }
    machine_want("[%x]=1\n", D);
    gic_v2.init_distributor();
    CHECK_TEXT(machine_expected(), machine_written());

    machine_set_device(C + 0x4, 0x80);
    gic_v2.core_up();
    CHECK_TEXT("[8000100]=8000\n", machine_written());
}

TEST(without_groups_a_core_that_goes_off_turns_off_its_own_interrupts_but_the_wake_interrupt)
{
    machine_set_device(D + 0x4, 1);
    gic_v2.init_distributor();
    (void)machine_written();
    machine_want("[8000180]=ffff7fff\n");
    want_off();
    gic_v2.prepare_off(0);
    CHECK_TEXT(machine_expected(), machine_written());
}
