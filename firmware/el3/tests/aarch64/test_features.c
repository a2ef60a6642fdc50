/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bit of which register of EL3 opens which feature: written once more from DDI 0487, by the names it has there. */
#include <string.h>

#include "arch_el3.h"
#include "harness.h"
#include "percpu.h"
#include "registers.h"

#define PFR0 "id_aa64pfr0_el1"
#define PFR1 "id_aa64pfr1_el1"
#define PFR2 "s3_0_c0_c4_2"
#define DFR0 "id_aa64dfr0_el1"
#define ISAR1 "id_aa64isar1_el1"
#define ISAR2 "s3_0_c0_c6_2"
#define MMFR0 "id_aa64mmfr0_el1"
#define MMFR1 "id_aa64mmfr1_el1"
#define MMFR3 "s3_0_c0_c7_3"

static const char *const ids[] = { PFR0, PFR1, PFR2, DFR0, ISAR1, ISAR2, MMFR0, MMFR1, MMFR3 };

#define IDS (sizeof(ids) / sizeof(ids[0]))

#define SCR_NS (1ULL << 0)
#define SCR_RES1 (3ULL << 4)
#define SCR_HCE (1ULL << 8)
#define SCR_RW (1ULL << 10)
#define SCR_APK (1ULL << 16)
#define SCR_API (1ULL << 17)
#define SCR_FIEN (1ULL << 21)
#define SCR_ENSCXT (1ULL << 25)
#define SCR_ATA (1ULL << 26)
#define SCR_FGTEN (1ULL << 27)
#define SCR_ECVEN (1ULL << 28)
#define SCR_AMVOFFEN (1ULL << 35)
#define SCR_ENAS0 (1ULL << 36)
#define SCR_ADEN (1ULL << 37)
#define SCR_HXEN (1ULL << 38)
#define SCR_GCSEN (1ULL << 39)
#define SCR_ENTP2 (1ULL << 41)
#define SCR_RCWMASKEN (1ULL << 42)
#define SCR_TCR2EN (1ULL << 43)
#define SCR_SCTLR2EN (1ULL << 44)
#define SCR_PIEN (1ULL << 45)
#define SCR_AIEN (1ULL << 46)
#define SCR_D128EN (1ULL << 47)
#define SCR_ENFPM (1ULL << 50)
#define SCR_PFAREN (1ULL << 53)
#define SCR_FGTEN2 (1ULL << 59)
#define CPTR_EZ (1ULL << 8)
#define CPTR_ESM (1ULL << 12)
#define MDCR_NSPB (3ULL << 12)
#define MDCR_SDD (1ULL << 16)
#define MDCR_SCCD (1ULL << 23)
#define MDCR_NSTB (3ULL << 24)
#define MDCR_MTPME (1ULL << 28)
#define MDCR_SBRBE (3ULL << 32)
#define MDCR_MCCD (1ULL << 34)
#define MDCR_ENPMSN (1ULL << 36)

/* What a value of a field, and every higher one but all ones, opens beside what the lower ones do. */
static const struct {
    const char *id;
    unsigned shift;
    unsigned from;
    uint64_t scr;
    uint64_t cptr;
    uint64_t mdcr;
    uint64_t further; /* 1: SVE, 2: SME, 4: MPAM */
} opens[] = {
    { PFR0, 28, 2, SCR_FIEN, 0, 0, 0 },
    { PFR0, 32, 1, 0, CPTR_EZ, 0, 1 },
    { PFR0, 40, 1, 0, 0, 0, 4 },
    { PFR0, 44, 2, SCR_AMVOFFEN, 0, 0, 0 },
    { PFR0, 56, 2, SCR_ENSCXT, 0, 0, 0 },
    { PFR1, 8, 2, SCR_ATA, 0, 0, 0 },
    { PFR1, 16, 1, 0, 0, 0, 4 },
    { PFR1, 24, 1, SCR_ENTP2, CPTR_ESM, 0, 2 },
    { PFR1, 44, 1, SCR_GCSEN, 0, 0, 0 },
    { PFR1, 48, 1, SCR_RCWMASKEN, 0, 0, 0 },
    { PFR1, 60, 1, SCR_PFAREN, 0, 0, 0 },
    { PFR2, 32, 1, SCR_ENFPM, 0, 0, 0 },
    { DFR0, 8, 6, 0, 0, MDCR_SCCD, 0 },
    { DFR0, 8, 7, 0, 0, MDCR_MCCD, 0 },
    { DFR0, 32, 1, 0, 0, MDCR_NSPB, 0 },
    { DFR0, 32, 3, 0, 0, MDCR_ENPMSN, 0 },
    { DFR0, 44, 1, 0, 0, MDCR_NSTB, 0 },
    { DFR0, 48, 1, 0, 0, MDCR_MTPME, 0 },
    { DFR0, 52, 1, 0, 0, MDCR_SBRBE, 0 },
    { ISAR1, 4, 1, SCR_APK | SCR_API, 0, 0, 0 },
    { ISAR1, 8, 1, SCR_APK | SCR_API, 0, 0, 0 },
    { ISAR1, 60, 2, SCR_ENAS0, 0, 0, 0 },
    { ISAR1, 60, 3, SCR_ADEN, 0, 0, 0 },
    { ISAR2, 12, 1, SCR_APK | SCR_API, 0, 0, 0 },
    { MMFR0, 56, 1, SCR_FGTEN, 0, 0, 0 },
    { MMFR0, 56, 2, SCR_FGTEN2, 0, 0, 0 },
    { MMFR0, 60, 2, SCR_ECVEN, 0, 0, 0 },
    { MMFR1, 40, 1, SCR_HXEN, 0, 0, 0 },
    { MMFR3, 0, 1, SCR_TCR2EN, 0, 0, 0 },
    { MMFR3, 4, 1, SCR_SCTLR2EN, 0, 0, 0 },
    { MMFR3, 8, 1, SCR_PIEN, 0, 0, 0 },
    { MMFR3, 16, 1, SCR_PIEN, 0, 0, 0 },
    { MMFR3, 24, 1, SCR_AIEN, 0, 0, 0 },
    { MMFR3, 32, 1, SCR_D128EN, 0, 0, 0 },
};

static struct percpu cpu;

static void a_core_without_features(void)
{
    machine_clear();
    cpu = (struct percpu){ .core_index = 0 };
    machine_set("tpidr_el3", (uintptr_t)&cpu);
    for (unsigned i = 0; i < IDS; i++) {
        machine_set(ids[i], 0);
    }
}

static void check_field(const char *id, unsigned shift, unsigned value)
{
    struct percpu_controls wanted = { .scr = SCR_NS | SCR_RES1 | SCR_RW, .mdcr = MDCR_SDD };

    for (unsigned i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
        if (strcmp(opens[i].id, id) == 0 && opens[i].shift == shift && value >= opens[i].from && value != 15) {
            wanted.scr |= opens[i].scr;
            wanted.cptr |= opens[i].cptr;
            wanted.mdcr |= opens[i].mdcr;
            wanted.further |= opens[i].further;
        }
    }
    if (strcmp(id, PFR0) == 0 && shift == 8 && value != 0) {
        wanted.scr |= SCR_HCE;
    }
    a_core_without_features();
    machine_set(id, (uint64_t)value << shift);
    arch_features_init();
    CHECK_EQUAL(cpu.controls.scr, wanted.scr);
    CHECK_EQUAL(cpu.controls.cptr, wanted.cptr);
    CHECK_EQUAL(cpu.controls.mdcr, wanted.mdcr);
    CHECK_EQUAL(cpu.controls.further, wanted.further);
}

TEST(each_value_of_each_field_opens_what_the_architecture_puts_behind_it_and_nothing_else)
{
    for (unsigned id = 0; id < IDS; id++) {
        for (unsigned shift = 0; shift < 64; shift += 4) {
            for (unsigned value = 0; value < 16; value++) {
                check_field(ids[id], shift, value);
            }
        }
    }
}

TEST(a_core_with_several_features_has_all_of_them)
{
    a_core_without_features();
    machine_set(PFR0, 1ULL << 32 | 1U << 8);
    machine_set(PFR1, 2U << 8 | 1ULL << 24);
    machine_set(MMFR0, 2ULL << 60 | 1ULL << 56);
    arch_features_init();
    CHECK_EQUAL(cpu.controls.scr, SCR_NS | SCR_RES1 | SCR_RW | SCR_HCE | SCR_ATA | SCR_ENTP2 | SCR_ECVEN | SCR_FGTEN);
    CHECK_EQUAL(cpu.controls.cptr, CPTR_EZ | CPTR_ESM);
    CHECK_EQUAL(cpu.controls.further, 3);
}

static const char *entered(uint64_t further, uint64_t smfr0)
{
    machine_clear();
    machine_set("s3_0_c0_c4_5", smfr0);
    arch_features_enter(further);
    return machine_written();
}

TEST(vectors_are_as_long_as_the_core_has_them_and_nothing_of_mpam_is_trapped)
{
    CHECK_TEXT("", entered(0, 0));
    CHECK_TEXT("s3_6_c1_c2_0=f\n", entered(1, 0));
    CHECK_TEXT("s3_6_c1_c2_6=f\n", entered(2, 0x00FFFFFFFFFFFFFFULL));
    CHECK_TEXT("s3_6_c1_c2_6=8000000f\n", entered(2, 1ULL << 63));
    CHECK_TEXT("s3_6_c1_c2_6=4000000f\n", entered(2, 1ULL << 56));
    CHECK_TEXT("s3_6_c10_c5_0=8000000000000000\n", entered(4, 0));
    CHECK_TEXT("s3_6_c1_c2_0=f\ns3_6_c1_c2_6=f\ns3_6_c10_c5_0=8000000000000000\n", entered(7, 0));
}
