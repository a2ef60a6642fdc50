/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an undefined instruction goes that came to EL3, by DDI 0487, AArch64.TakeException: level, vector, and the state there. */
#include "harness.h"
#include "registers.h"

void arch_refuse(void);

#define VBAR_EL1 0x10000000U
#define VBAR_EL2 0x20000000U
#define INSTRUCTION 0x60001234U
#define IL (1ULL << 25)

#define PFR0_EL2 0x100U
#define HAS_PAN (1U << 20)
#define SPAN (1U << 23)
#define HCR_TGE (1ULL << 27)
#define HCR_RW (1ULL << 31)

#define EL0T 0x0U
#define EL1T 0x4U
#define EL1H 0x5U
#define EL2T 0x8U
#define EL2H 0x9U
#define A32_USER 0x10U
#define A32_SVC 0x13U

#define NZCV (0xFULL << 28)
#define DIT (1ULL << 24)
#define PAN (1ULL << 22)
#define SS (1ULL << 21)
#define ILLEGAL (1ULL << 20)
#define SSBS (1ULL << 12)
#define BTYPE (3ULL << 10)
#define DAIF (0xFULL << 6)

static void a_machine_with(uint64_t pfr0, uint64_t hcr)
{
    machine_clear();
    machine_set("id_aa64pfr0_el1", pfr0);
    machine_set("id_aa64mmfr1_el1", 0);
    if ((pfr0 & PFR0_EL2) != 0) {
        machine_set("hcr_el2", hcr | ~(HCR_TGE | HCR_RW)); /* no other bit counts */
        machine_set("vbar_el2", VBAR_EL2);
        machine_set("sctlr_el2", 0);
    }
    machine_set("vbar_el1", VBAR_EL1);
    machine_set("sctlr_el1", 0);
    machine_set("elr_el3", INSTRUCTION);
    machine_set("esr_el3", 0x62000000U | IL | 0x1234U);
}

static void refuse(uint64_t spsr)
{
    machine_set("spsr_el3", spsr);
    (void)machine_written();
    arch_refuse();
}

static void check_handed(unsigned level, uint64_t spsr, uint64_t vector, uint64_t esr)
{
    CHECK_EQUAL(machine_get(level == 1 ? "spsr_el1" : "spsr_el2"), spsr);
    CHECK_EQUAL(machine_get(level == 1 ? "elr_el1" : "elr_el2"), INSTRUCTION);
    CHECK_EQUAL(machine_get(level == 1 ? "esr_el1" : "esr_el2"), esr);
    CHECK_EQUAL(machine_get("elr_el3"), (level == 1 ? VBAR_EL1 : VBAR_EL2) + vector);
    CHECK_EQUAL(machine_get("spsr_el3") & 0x1FU, level == 1 ? EL1H : EL2H);
    CHECK_EQUAL(machine_get("spsr_el3") & DAIF, DAIF);
}

static const struct {
    uint64_t pfr0;
    uint64_t hcr;
    uint64_t spsr;
    unsigned to;
    uint64_t vector;
} cases[] = {
    { 0, 0, EL0T, 1, 0x400 },
    { 0, 0, EL1T, 1, 0x000 },
    { 0, 0, EL1H, 1, 0x200 },
    { 0, 0, A32_USER, 1, 0x600 },
    { PFR0_EL2, HCR_RW, EL0T, 1, 0x400 },
    { PFR0_EL2, HCR_RW, EL1T, 1, 0x000 },
    { PFR0_EL2, HCR_RW, EL1H, 1, 0x200 },
    { PFR0_EL2, HCR_RW, A32_USER, 1, 0x600 },
    { PFR0_EL2, HCR_RW, EL2T, 2, 0x000 },
    { PFR0_EL2, HCR_RW, EL2H, 2, 0x200 },
    { PFR0_EL2, 0, EL2T, 2, 0x000 },
    { PFR0_EL2, 0, EL2H, 2, 0x200 },
    /* Traps of EL0 go to a host at EL2. */
    { PFR0_EL2, HCR_RW | HCR_TGE, EL0T, 2, 0x400 },
    { PFR0_EL2, HCR_RW | HCR_TGE, A32_USER, 2, 0x600 },
    { PFR0_EL2, HCR_RW | HCR_TGE, EL2H, 2, 0x200 },
    { PFR0_EL2, HCR_TGE, EL0T, 2, 0x400 },
    { PFR0_EL2, HCR_TGE, A32_USER, 2, 0x600 },
};

TEST(an_undefined_instruction_goes_where_the_architecture_says)
{
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a_machine_with(cases[i].pfr0, cases[i].hcr);
        refuse(cases[i].spsr);
        check_handed(cases[i].to, cases[i].spsr, cases[i].vector, IL);
    }
}

TEST(the_hypervisor_of_an_aarch32_el1_gets_the_syndrome_that_el3_got)
{
    static const uint64_t modes[] = { A32_SVC, A32_USER, 0x1F };

    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        a_machine_with(PFR0_EL2, 0);
        refuse(modes[i]);
        check_handed(2, modes[i], 0x600, 0x62000000U | IL | 0x1234U);
    }
}

TEST(the_length_of_the_instruction_is_all_that_is_told_of_it)
{
    a_machine_with(0, 0);
    machine_set("esr_el3", 0x60001234U);
    refuse(EL1H);
    check_handed(1, EL1H, 0x200, 0);
}

TEST(flags_and_dit_are_kept_and_all_else_of_the_state_is_that_of_an_exception)
{
    a_machine_with(0, 0);
    refuse(NZCV | DIT | SS | ILLEGAL | SSBS | BTYPE | EL1H);
    CHECK_EQUAL(machine_get("spsr_el3"), NZCV | DIT | DAIF | EL1H);
    CHECK_EQUAL(machine_get("spsr_el1"), NZCV | DIT | SS | ILLEGAL | SSBS | BTYPE | EL1H);
}

TEST(an_aarch32_state_has_no_bit_that_means_something_in_aarch64)
{
    a_machine_with(PFR0_EL2, 0);
    refuse(NZCV | DIT | A32_SVC);
    CHECK_EQUAL(machine_get("spsr_el3"), DAIF | EL2H);
}

static uint64_t pan_of(uint64_t mmfr1, uint64_t spsr, const char *sctlr, uint64_t value)
{
    a_machine_with(PFR0_EL2, HCR_RW);
    machine_set("id_aa64mmfr1_el1", mmfr1);
    machine_set(sctlr, value);
    refuse(spsr);
    return machine_get("spsr_el3") & PAN;
}

TEST(access_to_users_memory_is_off_at_the_handler_unless_its_level_wants_it_as_it_was)
{
    CHECK_EQUAL(pan_of(HAS_PAN, EL1H, "sctlr_el1", 0), PAN);
    CHECK_EQUAL(pan_of(HAS_PAN, EL1H, "sctlr_el1", SPAN), 0);
    CHECK_EQUAL(pan_of(HAS_PAN, EL1H | PAN, "sctlr_el1", SPAN), PAN);
    CHECK_EQUAL(pan_of(HAS_PAN, EL2H, "sctlr_el2", 0), PAN);
    CHECK_EQUAL(pan_of(HAS_PAN, EL2H, "sctlr_el2", SPAN), 0);
    CHECK_EQUAL(pan_of(0xFU << 24 | 0xFU << 16, EL1H, "sctlr_el1", 0), 0);
    CHECK_EQUAL(pan_of(3U << 20, EL1H, "sctlr_el1", 0), PAN);
}
