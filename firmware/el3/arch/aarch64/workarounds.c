/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a core's speculation needs of the firmware (Arm, Cache Speculation Side-channels; Spectre-BHB), by the part number of
 * MIDR_EL1 and what the ID registers say.
 */
#include "arch_el3.h"
#include "monitor.h"
#include "percpu.h"
#include "sysregs.h"

#define SCTLR_M (1ULL << 0)
#define IMPLEMENTER_ARM 0x41U
#define PMU_V3P5 6U
#define PMCR_DP (1ULL << 5)
#define CPUACTLR_EL1 "s3_1_c15_c2_0" /* of the two cores with the bit */
#define CPUACTLR_NO_LOAD_PASSES_STORE (1ULL << 55)

enum part { CORTEX_A35 = 0xD04, CORTEX_A53 = 0xD03, CORTEX_A55 = 0xD05, CORTEX_A57 = 0xD07, CORTEX_A72 = 0xD08 };

static unsigned part(void)
{
    uint64_t midr = SYSREG_READ("midr_el1");

    return (midr >> 24 & 0xFFU) == IMPLEMENTER_ARM ? (unsigned)(midr >> 4 & 0xFFFU) : 0;
}

/* In-order cores: they do not speculate far enough. */
static bool speculates(void)
{
    unsigned is = part();

    return is != CORTEX_A35 && is != CORTEX_A53 && is != CORTEX_A55;
}

static bool has_store_chicken_bit(void)
{
    return part() == CORTEX_A57 || part() == CORTEX_A72;
}

/* The two whose branch predictors forget when their MMU is turned off and on. */
static bool needs_predictor_flush(void)
{
    bool csv2 = (SYSREG_READ("id_aa64pfr0_el1") >> 56 & 0xFU) != 0;

    return !csv2 && (part() == CORTEX_A57 || part() == CORTEX_A72);
}

/* Of the branch targets, CSV2 says that the core needs nothing; of the branch history, only the core's own part number does. */
static int64_t branch_feature(bool is_covered_by_csv2)
{
    bool csv2 = (SYSREG_READ("id_aa64pfr0_el1") >> 56 & 0xFU) != 0;

    if (needs_predictor_flush()) {
        return SMCCC_WORKAROUND_IS_NEEDED;
    }
    return !speculates() || (is_covered_by_csv2 && csv2) ? SMCCC_WORKAROUND_NOT_NEEDED : SMCCC_NOT_SUPPORTED;
}

/* A core with SSBS leaves it to its operating system. */
static int64_t store_feature(void)
{
    bool ssbs = (SYSREG_READ("id_aa64pfr1_el1") >> 4 & 0xFU) != 0;
    bool is_off_for_good = LATLAB_HARDENED && has_store_chicken_bit();

    return ssbs || is_off_for_good || !speculates() ? SMCCC_WORKAROUND_NOT_NEEDED : SMCCC_NOT_SUPPORTED;
}

int64_t arch_workaround_feature(uint32_t id)
{
    switch (id) {
    case SMCCC_ARCH_WORKAROUND_1:
        return branch_feature(true);
    case SMCCC_ARCH_WORKAROUND_3:
        return branch_feature(false);
    default:
        return store_feature();
    }
}

void arch_workaround(uint32_t id)
{
    if (id == SMCCC_ARCH_WORKAROUND_2 || !needs_predictor_flush()) {
        return;
    }
    uint64_t sctlr = SYSREG_READ("sctlr_el3");

    sctlr_el3_write_both(sctlr & ~SCTLR_M, sctlr); /* with the MMU off, data would not be coherent */
}

/* From PMUv3p5 on MDCR_EL3 keeps EL3's cycles out of the counter. */
static bool counts_cycles_of_el3(void)
{
    unsigned version = SYSREG_READ("id_aa64dfr0_el1") >> 8 & 0xFU;

    return version != 0 && version < PMU_V3P5;
}

uint32_t arch_on_entry(void)
{
    bool is_safe_1 = branch_feature(true) == SMCCC_WORKAROUND_NOT_NEEDED;
    bool is_safe_3 = branch_feature(false) == SMCCC_WORKAROUND_NOT_NEEDED;

    return (uint32_t)needs_predictor_flush() << ENTRY_FLUSHES_PREDICTOR | (uint32_t)counts_cycles_of_el3() << ENTRY_STOPS_CYCLES |
           (uint32_t)is_safe_1 << ENTRY_IS_SAFE_1 | (uint32_t)is_safe_3 << ENTRY_IS_SAFE_3;
}

/* A core that has lost its power has lost the first; the second was set where it came from. */
void arch_harden_ns(void)
{
    if (has_store_chicken_bit()) {
        SYSREG_WRITE(CPUACTLR_EL1, SYSREG_READ(CPUACTLR_EL1) | CPUACTLR_NO_LOAD_PASSES_STORE);
    }
    if (counts_cycles_of_el3()) {
        SYSREG_WRITE("pmcr_el0", SYSREG_READ("pmcr_el0") & ~PMCR_DP);
    }
}
