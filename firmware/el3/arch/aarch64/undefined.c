/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exception that the normal world brought to EL3 and that is no SMC: an instruction or register whose use EL3 would have
 * to grant. It is handed back as undefined, as on a machine that does not have the feature; EL3 goes on.
 */
#include "arch_el3.h"
#include "sysregs.h"

#define SPSR_AARCH32 (1U << 4)
#define SPSR_MODE 0xFU
#define SPSR_AARCH32_USER 0U
#define SPSR_EL(spsr) ((spsr) >> 2 & 3U)
#define SPSR_SP_ELX (1U << 0)
#define SPSR_KEPT (0xFULL << 28 | 1ULL << 24 | 1ULL << 22) /* flags, DIT, PAN */
#define SPSR_DAIF (0xFU << 6)
#define SPSR_EL1H 5U
#define SPSR_EL2H 9U
#define SPSR_PAN (1ULL << 22)
#define SCTLR_SPAN (1U << 23)

#define HCR_TGE (1ULL << 27)
#define HCR_RW (1ULL << 31)

#define ESR_IL (1ULL << 25) /* with class 0: unknown reason, which is what undefined instructions have */

#define VECTOR_CURRENT_SPX 0x200U
#define VECTOR_LOWER_AARCH64 0x400U
#define VECTOR_LOWER_AARCH32 0x600U

void arch_refuse(void);

struct handed {
    uint64_t esr;
    uint64_t vector; /* offset from the base */
};

static uint64_t vector_of(uint64_t spsr, unsigned target_el)
{
    if ((spsr & SPSR_AARCH32) != 0) {
        return VECTOR_LOWER_AARCH32;
    }
    if (SPSR_EL(spsr) != target_el) {
        return VECTOR_LOWER_AARCH64;
    }
    return (spsr & SPSR_SP_ELX) != 0 ? VECTOR_CURRENT_SPX : 0;
}

/* DDI 0487, AArch64.TakeException: PAN is set on the way in unless SCTLR.SPAN says otherwise. */
static uint64_t entered(uint64_t spsr, uint64_t sctlr, uint64_t mode)
{
    bool has_pan = (SYSREG_READ("id_aa64mmfr1_el1") >> 20 & 0xFU) != 0;
    uint64_t pan = has_pan && (sctlr & SCTLR_SPAN) == 0 ? SPSR_PAN : 0;

    return (spsr & ((spsr & SPSR_AARCH32) != 0 ? 0 : SPSR_KEPT)) | pan | SPSR_DAIF | mode;
}

static void hand_to_el1(uint64_t spsr, struct handed handed)
{
    SYSREG_WRITE("spsr_el1", spsr);
    SYSREG_WRITE("elr_el1", SYSREG_READ("elr_el3"));
    SYSREG_WRITE("esr_el1", handed.esr);
    SYSREG_WRITE("elr_el3", SYSREG_READ("vbar_el1") + handed.vector);
    SYSREG_WRITE("spsr_el3", entered(spsr, SYSREG_READ("sctlr_el1"), SPSR_EL1H));
}

static void hand_to_el2(uint64_t spsr, struct handed handed)
{
    SYSREG_WRITE("spsr_el2", spsr);
    SYSREG_WRITE("elr_el2", SYSREG_READ("elr_el3"));
    SYSREG_WRITE("esr_el2", handed.esr);
    SYSREG_WRITE("elr_el3", SYSREG_READ("vbar_el2") + handed.vector);
    SYSREG_WRITE("spsr_el3", entered(spsr, SYSREG_READ("sctlr_el2"), SPSR_EL2H));
}

/*
 * Where an undefined instruction of the caller goes. An AArch32 EL1 has no vectors that EL3 could enter as it enters AArch64's:
 * its hypervisor gets what EL3 got, as if the trap had been its own.
 */
void arch_refuse(void)
{
    uint64_t spsr = SYSREG_READ("spsr_el3");
    uint64_t esr = SYSREG_READ("esr_el3");
    bool is_aarch32 = (spsr & SPSR_AARCH32) != 0;
    bool from_el0 = is_aarch32 ? (spsr & SPSR_MODE) == SPSR_AARCH32_USER : SPSR_EL(spsr) == 0;
    uint64_t hcr = arch_has_el2() ? SYSREG_READ("hcr_el2") : HCR_RW;
    bool el1_is_aarch32 = (hcr & HCR_RW) == 0 && (hcr & HCR_TGE) == 0;
    bool from_el2 = !is_aarch32 && SPSR_EL(spsr) == 2;
    struct handed handed = { .esr = esr & ESR_IL };

    if (is_aarch32 && el1_is_aarch32) {
        handed.esr = esr;
        handed.vector = VECTOR_LOWER_AARCH32;
        hand_to_el2(spsr, handed);
    } else if (from_el2 || (from_el0 && (hcr & HCR_TGE) != 0)) {
        handed.vector = vector_of(spsr, 2);
        hand_to_el2(spsr, handed);
    } else {
        handed.vector = vector_of(spsr, 1);
        hand_to_el1(spsr, handed);
    }
}
