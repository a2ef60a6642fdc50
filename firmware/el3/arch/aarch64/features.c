/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What EL3 grants the normal world of the features that the core reports (DDI 0487, D24.2: SCR_EL3, CPTR_EL3, MDCR_EL3): one
 * line a feature. A bit stays 0 where the core does not report the feature: there it may be reserved. What is not in the table
 * traps to EL3, which says that it is undefined.
 */
#include "arch_el3.h"
#include "percpu.h"
#include "sysregs.h"

enum id_register { PFR0, PFR1, PFR2, DFR0, ISAR1, ISAR2, MMFR0, MMFR1, MMFR3, ID_REGISTERS };
enum control { SCR, CPTR, MDCR, FURTHER, CONTROLS };

#define FURTHER_SVE (1U << 0)
#define FURTHER_SME (1U << 1)
#define FURTHER_MPAM (1U << 2)

#define SCR_NS (1ULL << 0)
#define SCR_RES1 (3ULL << 4)
#define SCR_HCE (1ULL << 8)
#define SCR_RW (1ULL << 10)
#define MDCR_SDD (1ULL << 16) /* no self-hosted debug of the secure world */

struct feature {
    uint8_t id;    /* enum id_register */
    uint8_t shift; /* of its field */
    uint8_t from;  /* the lowest value that has it */
    uint8_t control;
    uint64_t bits;
};

#define BIT(n) (1ULL << (n))

static const struct feature features[] = {
#if LATLAB_FEATURES
    { PFR0, 28, 2, SCR, BIT(21) },                 /* RAS 1.1: fault injection */
    { PFR0, 32, 1, CPTR, BIT(8) },                 /* SVE */
    { PFR0, 32, 1, FURTHER, FURTHER_SVE },
    { PFR0, 40, 1, FURTHER, FURTHER_MPAM },        /* MPAM */
    { PFR1, 16, 1, FURTHER, FURTHER_MPAM },        /* MPAM, version 0.1 */
    { PFR0, 44, 2, SCR, BIT(35) },                 /* AMU 1.1: virtual offsets */
    { PFR0, 56, 2, SCR, BIT(25) },                 /* CSV2_2: SCXTNUM */
    { PFR1, 8, 2, SCR, BIT(26) },                  /* MTE2 */
    { PFR1, 24, 1, SCR, BIT(41) },                 /* SME: TPIDR2 */
    { PFR1, 24, 1, CPTR, BIT(12) },                /* SME */
    { PFR1, 24, 1, FURTHER, FURTHER_SME },
    { PFR1, 44, 1, SCR, BIT(39) },                 /* GCS */
    { PFR1, 48, 1, SCR, BIT(42) },                 /* THE */
    { PFR1, 60, 1, SCR, BIT(53) },                 /* PFAR */
    { PFR2, 32, 1, SCR, BIT(50) },                 /* FPMR */
    { DFR0, 8, 6, MDCR, BIT(23) },                 /* PMUv3p5: no secure cycles in the cycle counter */
    { DFR0, 8, 7, MDCR, BIT(34) },                 /* PMUv3p7: no EL3 cycles in it */
    { DFR0, 32, 1, MDCR, BIT(12) | BIT(13) },      /* SPE */
    { DFR0, 32, 3, MDCR, BIT(36) },                /* SPE 1.2 */
    { DFR0, 44, 1, MDCR, BIT(24) | BIT(25) },      /* trace buffer */
    { DFR0, 48, 1, MDCR, BIT(28) },                /* PMU counts of other threads */
    { DFR0, 52, 1, MDCR, BIT(32) | BIT(33) },      /* BRBE */
    { ISAR1, 4, 1, SCR, BIT(16) | BIT(17) },       /* PAuth, QARMA5 */
    { ISAR1, 8, 1, SCR, BIT(16) | BIT(17) },       /* PAuth, the implementation's own */
    { ISAR2, 12, 1, SCR, BIT(16) | BIT(17) },      /* PAuth, QARMA3 */
    { ISAR1, 60, 2, SCR, BIT(36) },                /* LS64_V */
    { ISAR1, 60, 3, SCR, BIT(37) },                /* LS64_ACCDATA */
    { MMFR0, 56, 1, SCR, BIT(27) },                /* FGT */
    { MMFR0, 56, 2, SCR, BIT(59) },                /* FGT2 */
    { MMFR0, 60, 2, SCR, BIT(28) },                /* ECV: CNTPOFF */
    { MMFR1, 40, 1, SCR, BIT(38) },                /* HCX */
    { MMFR3, 0, 1, SCR, BIT(43) },                 /* TCR2 */
    { MMFR3, 4, 1, SCR, BIT(44) },                 /* SCTLR2 */
    { MMFR3, 8, 1, SCR, BIT(45) },                 /* S1PIE */
    { MMFR3, 16, 1, SCR, BIT(45) },                /* S1POE */
    { MMFR3, 24, 1, SCR, BIT(46) },                /* AIE */
    { MMFR3, 32, 1, SCR, BIT(47) },                /* D128 */
#else
    { PFR0, 0, 15, SCR, 0 },
#endif
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

static void read_id_registers(uint64_t ids[ID_REGISTERS])
{
    ids[PFR0] = SYSREG_READ("id_aa64pfr0_el1");
    ids[PFR1] = SYSREG_READ("id_aa64pfr1_el1");
    ids[PFR2] = SYSREG_READ("s3_0_c0_c4_2");
    ids[DFR0] = SYSREG_READ("id_aa64dfr0_el1");
    ids[ISAR1] = SYSREG_READ("id_aa64isar1_el1");
    ids[ISAR2] = SYSREG_READ("s3_0_c0_c6_2");
    ids[MMFR0] = SYSREG_READ("id_aa64mmfr0_el1");
    ids[MMFR1] = SYSREG_READ("id_aa64mmfr1_el1");
    ids[MMFR3] = SYSREG_READ("s3_0_c0_c7_3");
}

/* All ones is what a field says where the feature is there in a form of its own (PMUVer), or not at all (MTPMU). */
static bool has(uint64_t id, const struct feature *feature)
{
    unsigned value = (unsigned)(id >> feature->shift) & 0xFU;

    return value >= feature->from && value != 0xFU;
}

void arch_features_init(void)
{
    uint64_t ids[ID_REGISTERS];
    uint64_t controls[CONTROLS] = {
        [SCR] = SCR_NS | SCR_RES1 | SCR_RW | (arch_has_el2() ? SCR_HCE : 0),
        [MDCR] = MDCR_SDD,
    };

    read_id_registers(ids);
    for (unsigned i = 0; i < FEATURES; i++) {
        if (has(ids[features[i].id], &features[i])) {
            controls[features[i].control] |= features[i].bits;
        }
    }
    percpu()->controls = (struct percpu_controls){
        .scr = controls[SCR],
        .cptr = controls[CPTR],
        .mdcr = controls[MDCR],
        .further = controls[FURTHER],
    };
}

/* The longest vectors that the core has; CPTR_EL3 already lets EL3 at the registers. */
void arch_features_enter(uint64_t further)
{
    if ((further & FURTHER_SVE) != 0) {
        SYSREG_WRITE("s3_6_c1_c2_0", 0xF); /* ZCR_EL3 */
    }
    if ((further & FURTHER_SME) != 0) {
        uint64_t smfr0 = SYSREG_READ("s3_0_c0_c4_5");
        uint64_t full_a64 = (smfr0 & BIT(63)) != 0 ? BIT(31) : 0;
        uint64_t zt0 = (smfr0 >> 56 & 0xFU) != 0 ? BIT(30) : 0;

        SYSREG_WRITE("s3_6_c1_c2_6", 0xF | full_a64 | zt0); /* SMCR_EL3 */
    }
    if ((further & FURTHER_MPAM) != 0) {
        SYSREG_WRITE("s3_6_c10_c5_0", BIT(63)); /* MPAM3_EL3: on, nothing trapped */
    }
}
