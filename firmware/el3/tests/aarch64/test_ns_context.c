/* SPDX-License-Identifier: BSD-3-Clause */
/* With what registers the normal world begins: DDI 0487's values after a reset, and what an EL3 of PSCI's specification sets. */
#include <string.h>

#include "arch.h"
#include "arch_el3.h"
#include "harness.h"
#include "registers.h"

#define PFR0_EL2 0x100U
#define VHE 0x100U
#define MIDR 0x411FD070U
#define MPIDR 0x80000102U
#define EVENT_COUNTERS 6U
#define EE (1U << 25)
#define E0E (1U << 24)

#if LATLAB_HARDENED
#define HARDENED "hardened\n"
#else
#define HARDENED ""
#endif

static struct percpu cpu;
static jmp_buf left;
static uint64_t left_with;
static const struct psci_entry *warm_entry;
static uint64_t warm_ticks;
static uint64_t entered_further;

void arch_eret_scrubbed(uint64_t x0) __attribute__((noreturn));
void arch_eret_scrambled(uint64_t x0) __attribute__((noreturn));
void arch_warm_boot(uint64_t exit_ticks) __attribute__((noreturn));

void arch_eret_scrubbed(uint64_t x0)
{
    left_with = x0;
    longjmp(left, 1);
}

void arch_eret_scrambled(uint64_t x0)
{
    (void)x0;
    longjmp(left, 2);
}

const struct psci_entry *psci_warm_boot(uint64_t exit_ticks)
{
    warm_ticks = exit_ticks;
    return warm_entry;
}

void arch_features_enter(uint64_t further)
{
    machine_note("further features");
    entered_further = further;
}

void arch_harden_ns(void)
{
    machine_note("hardened");
}

static void a_machine_with(uint64_t pfr0)
{
    machine_clear();
    cpu = (struct percpu){ .controls = { .scr = 0x531, .cptr = 0x1100, .mdcr = 0x810000 } };
    machine_set("tpidr_el3", (uintptr_t)&cpu);
    machine_set("id_aa64pfr0_el1", pfr0);
    machine_set("midr_el1", MIDR);
    machine_set("mpidr_el1", MPIDR);
    machine_set("pmcr_el0", 0x41000000U | EVENT_COUNTERS << 11 | 0x7FFU);
    entered_further = 0;
    (void)machine_written();
}

static void enter(const struct psci_entry *entry)
{
    if (setjmp(left) == 0) {
        arch_enter_ns(entry);
    }
}

TEST(el1_begins_at_its_entry_masked_with_its_argument_and_what_el3_grants)
{
    struct psci_entry entry = { .address = 0x60000000, .context_id = 42 };

    a_machine_with(0);
    enter(&entry);
    CHECK_EQUAL(left_with, 42);
    CHECK_TEXT("scr_el3=531\ncptr_el3=1100\nmdcr_el3=810000\nsctlr_el1=30d00800\nspsr_el3=3c5\nelr_el3=60000000\n" HARDENED "isb\n", machine_written());
}

TEST(el2_begins_with_an_el1_below_it_that_nothing_is_hidden_from)
{
    struct psci_entry entry = { .address = 0x80201000, .context_id = 7 };

    a_machine_with(PFR0_EL2);
    enter(&entry);
    CHECK_EQUAL(left_with, 7);
    CHECK_TEXT("scr_el3=531\ncptr_el3=1100\nmdcr_el3=810000\nsctlr_el1=30d00800\n"
               "sctlr_el2=30c50830\nhcr_el2=80000000\ncptr_el2=33ff\ncnthctl_el2=3\ncntvoff_el2=0\nvpidr_el2=411fd070\n"
               "vmpidr_el2=80000102\nvttbr_el2=0\nmdcr_el2=6\nhstr_el2=0\n"
               "spsr_el3=3c9\nelr_el3=80201000\n" HARDENED "isb\n", machine_written());
}

TEST(registers_that_exist_only_with_a_feature_are_set_once_el3_may_use_it)
{
    struct psci_entry entry = { .address = 0x60000000 };

    a_machine_with(0);
    cpu.controls.further = 5;
    enter(&entry);
    CHECK_EQUAL(entered_further, 5);
    CHECK(strstr(machine_written(), "mdcr_el3=810000\nisb\nfurther features\n") != NULL);
}

TEST(a_core_has_the_byte_order_of_who_started_it)
{
    struct psci_entry entry = { .address = 0x60000000 };

    for (unsigned big = 0; big < 2; big++) {
        a_machine_with(0);
        machine_set("sctlr_el1", big != 0 ? EE | 0x30D00800U : 0x30D00800U | E0E);
        entry.attributes = arch_caller_attributes();
        enter(&entry);
        CHECK_EQUAL(machine_get("sctlr_el1"), 0x30D00800U | (big != 0 ? EE | E0E : 0));

        a_machine_with(PFR0_EL2);
        machine_set("sctlr_el1", big != 0 ? 0 : EE);
        machine_set("sctlr_el2", big != 0 ? EE : 0);
        entry.attributes = arch_caller_attributes();
        enter(&entry);
        CHECK_EQUAL(machine_get("sctlr_el2"), 0x30C50830U | (big != 0 ? EE : 0));
        CHECK_EQUAL(machine_get("sctlr_el1"), 0x30D00800U | (big != 0 ? EE | E0E : 0));
    }
}

TEST(a_core_that_comes_back_enters_where_psci_says_and_tells_it_when_it_woke)
{
    struct psci_entry entry = { .address = 0x61000000, .context_id = 9 };

    a_machine_with(0);
    warm_entry = &entry;
    int way = setjmp(left);

    if (way == 0) {
        arch_warm_boot(1234);
    }
    CHECK_EQUAL(way, 1);
    CHECK_EQUAL(warm_ticks, 1234);
    CHECK_EQUAL(left_with, 9);
    CHECK_EQUAL(machine_get("elr_el3"), 0x61000000);
}

static const char *timers_off(uint64_t pfr0, uint64_t mmfr1)
{
    a_machine_with(pfr0);
    machine_set("id_aa64mmfr1_el1", mmfr1);
    arch_timers_off();
    return machine_written();
}

TEST(no_timer_of_any_level_that_is_there_stays_on)
{
    CHECK_TEXT("cntp_ctl_el0=0\ncntv_ctl_el0=0\n", timers_off(0, 0));
    CHECK_TEXT("cntp_ctl_el0=0\ncntv_ctl_el0=0\n", timers_off(0xF00FFU & ~0xF00U, VHE));
    CHECK_TEXT("cntp_ctl_el0=0\ncntv_ctl_el0=0\ncnthp_ctl_el2=0\n", timers_off(PFR0_EL2, 0xF00FFU));
    CHECK_TEXT("cntp_ctl_el0=0\ncntv_ctl_el0=0\ncnthp_ctl_el2=0\ns3_4_c14_c3_1=0\n", timers_off(PFR0_EL2, VHE));
}

TEST(the_interrupt_controller_is_version_3_where_the_core_has_its_registers)
{
    a_machine_with(1U << 24);
    CHECK(arch_has_gicv3());
    a_machine_with(3U << 24);
    CHECK(arch_has_gicv3());
    a_machine_with(0xF0FFFFFFU);
    CHECK(!arch_has_gicv3());
}
