/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GICv3 is told, register by register: IHI 0069. */
#include "gic.h"
#include "harness.h"
#include "registers.h"

#define D 0x8000000U
#define R 0x80A0000U
#define STRIDE 0x20000U
#define SGI_FRAME 0x10000U
#define WAKER 0x14U
#define PROCESSOR_SLEEP 2U
#define CHILDREN_ASLEEP 4U
#define WRITE_PENDING (1U << 31)

#define ICC_SRE_EL1 "s3_0_c12_c12_5"
#define ICC_SRE_EL2 "s3_4_c12_c9_5"
#define ICC_SRE_EL3 "s3_6_c12_c12_5"
#define ICC_PMR "s3_0_c4_c6_0"
#define ICC_IGRPEN0 "s3_0_c12_c12_6"
#define ICC_IGRPEN1_EL3 "s3_6_c12_c12_7"
#define ICC_IAR0 "s3_0_c12_c8_0"
#define ICC_EOIR0 "s3_0_c12_c8_1"
#define ICC_SGI0R "s3_0_c12_c11_7"

uintptr_t platform_gicd = D;
uintptr_t platform_gicc = 0;
uintptr_t platform_gicr = R;

static unsigned polls; /* how often the register that is waited for has been read */

void harness_before_each(void)
{
    machine_clear();
    machine_set("id_aa64pfr0_el1", 0x01000000U);
    polls = 0;
}

/* A write to the distributor takes two reads, and the redistributor two to wake. */
uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    if (address == D) {
        return ++polls <= 2 ? value | WRITE_PENDING : value;
    }
    if ((address - R) % STRIDE == WAKER && (value & PROCESSOR_SLEEP) == 0) {
        return ++polls <= 2 ? value | CHILDREN_ASLEEP : value & ~CHILDREN_ASLEEP;
    }
    return value;
}

TEST(every_shared_interrupt_is_the_normal_worlds_at_its_highest_priority)
{
    machine_set_device(D + 0x4, 0x780000U | 3);
    machine_want("[%x]=31\n", D);
    for (unsigned word = 1; word < 4; word++) {
        machine_want("[%x]=ffffffff\n", D + 0x80 + 4 * word);
    }
    for (unsigned word = 8; word < 32; word++) {
        machine_want("[%x]=80808080\n", D + 0x400 + 4 * word);
    }
    gic_v3.init_distributor();
    CHECK_TEXT(machine_wanted(), machine_written());
    CHECK_EQUAL(polls, 3);
}

static void want_core_up(void)
{
    machine_want(ICC_SRE_EL3 "=f\nisb\n" ICC_SRE_EL1 "=f\n");
}

TEST(a_core_wakes_its_own_redistributor_and_keeps_the_wake_interrupt)
{
    const unsigned core = 5;
    const unsigned mine = R + core * STRIDE;

    machine_set_device(mine + WAKER, PROCESSOR_SLEEP | CHILDREN_ASLEEP | 0x100U);
    machine_want("[%x]=104\n", mine + WAKER);
    machine_want("[%x]=ffff7fff\n", mine + SGI_FRAME + 0x80);
    for (unsigned word = 0; word < 8; word++) {
        machine_want("[%x]=80808080\n", mine + SGI_FRAME + 0x400 + 4 * word);
    }
    machine_want("[%x]=8000\n", mine + SGI_FRAME + 0x100);
    want_core_up();
    gic_v3.init_core(core);
    CHECK_TEXT(machine_wanted(), machine_written());
    CHECK_EQUAL(polls, 3);
}

TEST(a_redistributor_that_is_awake_was_set_up_before)
{
    machine_set_device(R + WAKER, 0);
    polls = 100;
    want_core_up();
    gic_v3.init_core(0);
    CHECK_TEXT(machine_wanted(), machine_written());
}

TEST(system_registers_are_opened_to_el2_where_there_is_one)
{
    machine_set("id_aa64pfr0_el1", 0x01000100U);
    gic_v3.core_up();
    CHECK_TEXT(ICC_SRE_EL3 "=f\nisb\n" ICC_SRE_EL1 "=f\n" ICC_SRE_EL2 "=f\n", machine_written());
}

TEST(a_core_that_goes_off_hears_only_a_new_wake_interrupt)
{
    machine_set(ICC_IGRPEN1_EL3, 3);
    machine_set(ICC_IAR0, 15);
    gic_v3.prepare_off();
    CHECK_TEXT(ICC_IGRPEN1_EL3 "=2\n" ICC_PMR "=ff\n" ICC_IGRPEN0 "=1\nisb\n" ICC_EOIR0 "=f\n", machine_written());
}

TEST(what_is_no_interrupt_is_not_ended)
{
    machine_set(ICC_IGRPEN1_EL3, 0);
    for (uint64_t none = 1020; none < 1024; none++) {
        machine_set(ICC_IAR0, none);
        gic_v3.prepare_off();
        CHECK_TEXT(ICC_IGRPEN1_EL3 "=0\n" ICC_PMR "=ff\n" ICC_IGRPEN0 "=1\nisb\n", machine_written());
        gic_v3.end_off();
        CHECK_TEXT(ICC_IGRPEN0 "=0\n", machine_written());
    }
}

TEST(a_core_that_is_back_ends_the_wake_interrupt_and_closes_group_0)
{
    machine_set(ICC_IAR0, 15);
    gic_v3.end_off();
    CHECK_TEXT(ICC_EOIR0 "=f\n" ICC_IGRPEN0 "=0\n", machine_written());
}

TEST(a_core_is_woken_by_its_affinity)
{
    gic_v3.send_wake(0);
    gic_v3.send_wake(15);
    gic_v3.send_wake(16 + 3);
    CHECK_TEXT(ICC_SGI0R "=f000001\nisb\n" ICC_SGI0R "=f008000\nisb\n" ICC_SGI0R "=f010008\nisb\n", machine_written());
}
