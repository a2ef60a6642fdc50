/* SPDX-License-Identifier: BSD-3-Clause */
/* The normal world's first instruction on a core: which exception level, and a clean set of registers for it. */
#include "arch.h"
#include "arch_el3.h"
#include "meet.h"
#include "percpu.h"
#include "sysregs.h"

#define SCTLR_EL1_RESET 0x30D00800U
#define SCTLR_EL2_RESET 0x30C50830U
#define SCTLR_EE (1U << 25)
#define SCTLR_EL1_E0E (1U << 24)

#define HCR_RW (1ULL << 31)
#define CPTR_EL2_RES1 0x33FFU
#define CNTHCTL_EL1_MAY_USE_PHYSICAL_TIMER 3U

#define SPSR_DAIF (0xFU << 6)
#define SPSR_EL1H 5U
#define SPSR_EL2H 9U

#define ATTRIBUTE_BIG_ENDIAN 1U

void arch_eret_scrubbed(uint64_t x0) __attribute__((noreturn));
void arch_eret_scrambled(uint64_t x0) __attribute__((noreturn));
void arch_warm_boot(uint64_t exit_ticks) __attribute__((noreturn));

bool arch_has_gicv3(void)
{
    return (SYSREG_READ("id_aa64pfr0_el1") >> 24 & 0xFU) != 0;
}

uint64_t arch_caller_attributes(void)
{
    uint64_t sctlr = arch_has_el2() ? SYSREG_READ("sctlr_el2") : SYSREG_READ("sctlr_el1");

    return (sctlr & SCTLR_EE) != 0 ? ATTRIBUTE_BIG_ENDIAN : 0;
}

static void reset_el2(bool big_endian)
{
    SYSREG_WRITE("sctlr_el2", SCTLR_EL2_RESET | (big_endian ? SCTLR_EE : 0));
    SYSREG_WRITE("hcr_el2", HCR_RW);
    SYSREG_WRITE("cptr_el2", CPTR_EL2_RES1);
    SYSREG_WRITE("cnthctl_el2", CNTHCTL_EL1_MAY_USE_PHYSICAL_TIMER);
    SYSREG_WRITE("cntvoff_el2", 0);
    SYSREG_WRITE("vpidr_el2", SYSREG_READ("midr_el1"));
    SYSREG_WRITE("vmpidr_el2", SYSREG_READ("mpidr_el1"));
    SYSREG_WRITE("vttbr_el2", 0);
    SYSREG_WRITE("mdcr_el2", SYSREG_READ("pmcr_el0") >> 11 & 0x1FU);
    SYSREG_WRITE("hstr_el2", 0);
}

static inline __attribute__((always_inline)) void set_up_ns(const struct psci_entry *entry)
{
    ARCH_MEET();
    const struct percpu_controls *controls = &percpu()->controls;

    SYSREG_WRITE("scr_el3", controls->scr);
    SYSREG_WRITE("cptr_el3", controls->cptr);
    SYSREG_WRITE("mdcr_el3", controls->mdcr);
    if (controls->further != 0) {
        isb();
        arch_features_enter(controls->further);
    }

    bool has_el2 = arch_has_el2();
    bool big_endian = (entry->attributes & ATTRIBUTE_BIG_ENDIAN) != 0;

    SYSREG_WRITE("sctlr_el1", SCTLR_EL1_RESET | (big_endian ? SCTLR_EE | SCTLR_EL1_E0E : 0));
    if (has_el2) {
        reset_el2(big_endian);
    }
    SYSREG_WRITE("spsr_el3", SPSR_DAIF | (has_el2 ? SPSR_EL2H : SPSR_EL1H));
    SYSREG_WRITE("elr_el3", entry->address);
    if (LATLAB_HARDENED) {
        arch_harden_ns();
    }
    isb();
}

void arch_enter_ns(const struct psci_entry *entry)
{
    set_up_ns(entry);
    arch_eret_scrubbed(entry->context_id);
}

static bool has_vhe(void)
{
    return (SYSREG_READ("id_aa64mmfr1_el1") >> 8 & 0xFU) != 0;
}

void arch_timers_off(void)
{
    SYSREG_WRITE("cntp_ctl_el0", 0);
    SYSREG_WRITE("cntv_ctl_el0", 0);
    if (!arch_has_el2()) {
        return;
    }
    SYSREG_WRITE("cnthp_ctl_el2", 0);
    if (has_vhe()) {
        SYSREG_WRITE("s3_4_c14_c3_1", 0); /* CNTHV_CTL_EL2 */
    }
}

void arch_warm_boot(uint64_t exit_ticks)
{
    const struct psci_entry *entry = psci_warm_boot(exit_ticks);

    set_up_ns(entry);
    if (LATLAB_HOSTILE_POWER_DOWN) {
        arch_eret_scrambled(entry->context_id);
    }
    arch_eret_scrubbed(entry->context_id);
}
