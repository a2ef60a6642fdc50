/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GICv3 is told, register by register: IHI 0069. */
#include <stdbool.h>
#include <string.h>

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
#define DISABLE_PENDING (1U << 3) /* GICR_CTLR.RWP */

#define ICC_SRE_EL1 "s3_0_c12_c12_5"
#define ICC_SRE_EL2 "s3_4_c12_c9_5"
#define ICC_SRE_EL3 "s3_6_c12_c12_5"
#define ICC_PMR "s3_0_c4_c6_0"
#define ICC_IGRPEN0 "s3_0_c12_c12_6"
#define ICC_IGRPEN1_EL3 "s3_6_c12_c12_7"
#define ICC_CTLR_EL3 "s3_6_c12_c12_4"
#define ICC_EOIR1 "s3_0_c12_c12_1"
#define ICC_RPR "s3_0_c12_c11_3"
#define AP0R "s3_0_c12_c8_"
#define AP1R "s3_0_c12_c9_"
#define ICC_SGI0R "s3_0_c12_c11_7"

uintptr_t platform_gicd = D;
uintptr_t platform_gicc = 0;
uintptr_t platform_gicr = R;

static unsigned polls; /* how often the register that is waited for has been read */
static unsigned disable_polls;
static bool hears_active_priorities; /* the interface takes a write to ICC_AP1R0_EL1 */

void harness_before_each(void)
{
    machine_clear();
    machine_set("id_aa64pfr0_el1", 0x01000000U);
    for (unsigned core = 0; core < 8; core++) {
        machine_set_device(R + core * STRIDE, 0);
    }
    polls = 0;
    disable_polls = 0;
    hears_active_priorities = false;
}

/* The running priority follows from the active ones. */
uint64_t machine_register_says(const char *name, uint64_t value)
{
    bool is_idle = hears_active_priorities && strcmp(name, ICC_RPR) == 0 && machine_get(AP1R "0") == 0;

    return is_idle ? 0xFF : value;
}

/* A write to the distributor takes two reads, the redistributor two to wake, and two to disable. */
uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    if (address == D) {
        return ++polls <= 2 ? value | WRITE_PENDING : value;
    }
    if (address >= R && (address - R) % STRIDE == 0) {
        return ++disable_polls <= 2 ? value | DISABLE_PENDING : value;
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
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(polls, 3);
}

static void want_core_up(void)
{
    machine_want(ICC_SRE_EL3 "=f\nisb\n" ICC_SRE_EL1 "=f\n");
}

static void want_set_up(unsigned mine)
{
    machine_want("[%x]=ffffffff\n", mine + SGI_FRAME + 0x180);
    machine_want("[%x]=ffffffff\n", mine + SGI_FRAME + 0x380);
    machine_want("[%x]=0\n", mine + SGI_FRAME + 0xD00);
    machine_want("[%x]=ffff7fff\n", mine + SGI_FRAME + 0x80);
    for (unsigned word = 0; word < 8; word++) {
        machine_want("[%x]=80808080\n", mine + SGI_FRAME + 0x400 + 4 * word);
    }
    machine_want("[%x]=0\n", mine + SGI_FRAME + 0x40F);
    want_core_up();
}

TEST(a_core_wakes_its_own_redistributor_and_keeps_the_wake_interrupt)
{
    const unsigned core = 5;
    const unsigned mine = R + core * STRIDE;

    machine_set_device(mine + WAKER, PROCESSOR_SLEEP | CHILDREN_ASLEEP | 0x100U);
    machine_want("[%x]=104\n", mine + WAKER);
    want_set_up(mine);
    gic_v3.init_core(core);
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(polls, 3);
    CHECK_EQUAL(disable_polls, 3);
}

TEST(a_redistributor_that_an_earlier_stage_has_woken_is_set_up_all_the_same)
{
    machine_set_device(R + WAKER, 0);
    polls = 100;
    want_set_up(R);
    gic_v3.init_core(0);
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(disable_polls, 3);
}

TEST(system_registers_are_opened_to_el2_where_there_is_one)
{
    machine_set("id_aa64pfr0_el1", 0x01000100U);
    gic_v3.core_up();
    CHECK_TEXT(ICC_SRE_EL3 "=f\nisb\n" ICC_SRE_EL1 "=f\n" ICC_SRE_EL2 "=f\n", machine_written());
}

static void check_off(uint64_t running, const char *forgotten)
{
    const unsigned core = 3;
    const unsigned frame = R + core * STRIDE + SGI_FRAME;

    machine_set(ICC_RPR, running);
    machine_want(ICC_IGRPEN1_EL3 "=0\n" ICC_PMR "=ff\n" ICC_IGRPEN0 "=1\nisb\n[%x]=8000\n[%x]=8000\n%s", frame + 0x280, frame + 0x100,
                 forgotten);
    if (running != 0xFF) {
        machine_want("isb\n");
    }
    for (unsigned i = 0; running != 0xFF && i < 32; i++) {
        machine_want(ICC_EOIR1 "=f\n"); /* the made-up register never says that it was heard */
    }
    gic_v3.prepare_off(core);
    CHECK_TEXT(machine_expected(), machine_written());
}

TEST(a_core_that_goes_off_hears_only_the_wake_interrupt)
{
    check_off(0xFF, "");
}

/* Of each group one word, two or four: ICC_CTLR_EL3.PRIbits in bits 10:8 is one less than the bits of a priority. */
TEST(a_core_that_goes_off_forgets_what_was_running)
{
    static const char one[] = AP0R "4=0\n" AP1R "0=0\n";
    static const char two[] = AP0R "4=0\n" AP1R "0=0\n" AP0R "5=0\n" AP1R "1=0\n";
    static const char four[] = AP0R "4=0\n" AP1R "0=0\n" AP0R "5=0\n" AP1R "1=0\n" AP0R "6=0\n" AP1R "2=0\n" AP0R "7=0\n" AP1R "3=0\n";
    const char *const forgotten[] = { [4] = one, [5] = one, [6] = two, [7] = four, [8] = four };

    for (unsigned bits = 4; bits <= 8; bits++) {
        machine_set(ICC_CTLR_EL3, 0xF8FFU | (uint64_t)(bits - 1) << 8);
        check_off(0x80, forgotten[bits]);
        check_off(0, forgotten[bits]);
    }
}

/* An end of interrupt for another number than the running one is UNPREDICTABLE: none is written where the registers suffice. */
TEST(a_core_ends_no_interrupt_where_its_interface_forgets_what_was_running)
{
    machine_set(ICC_RPR, 0x80);
    machine_set(ICC_CTLR_EL3, 0xF8FFU | 4U << 8);
    machine_set(AP1R "0", 1U << 16);
    hears_active_priorities = true;
    gic_v3.prepare_off(3);
    const char *written = machine_written();

    CHECK(strstr(written, AP1R "0=0\n") != NULL);
    CHECK(strstr(written, ICC_EOIR1) == NULL);
}

TEST(a_core_that_is_back_turns_the_wake_interrupt_off_and_closes_group_0)
{
    machine_want("[%x]=8000\n" ICC_IGRPEN0 "=0\n", R + 2 * STRIDE + SGI_FRAME + 0x180);
    gic_v3.end_off(2);
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(disable_polls, 3); /* a late wake interrupt is a candidate until the redistributor has taken the write */
}

TEST(wake_interrupts_are_forgotten)
{
    machine_want("[%x]=8000\ndsb sy\n", R + 2 * STRIDE + SGI_FRAME + 0x280);
    gic_v3.forget_wakes(2);
    CHECK_TEXT(machine_expected(), machine_written());
}

TEST(a_core_is_woken_by_its_affinity)
{
    gic_v3.send_wake(0);
    gic_v3.send_wake(15);
    gic_v3.send_wake(16 + 3);
    CHECK_TEXT(ICC_SGI0R "=f000001\nisb\n" ICC_SGI0R "=f008000\nisb\n" ICC_SGI0R "=f010008\nisb\n", machine_written());
}
