/* SPDX-License-Identifier: BSD-3-Clause */
/* The normal world's first instruction on a core: which exception level, and a clean set of registers for it. */
#include "arch.h"
#include "arch_el3.h"
#include "sysregs.h"

#define SCR_NS (1U << 0)
#define SCR_RES1 (3U << 4)
#define SCR_HCE (1U << 8)
#define SCR_RW (1U << 10)
#define SCR_POINTER_AUTHENTICATION (3U << 16)

#define SCTLR_EL1_RESET 0x30D00800U
#define SCTLR_EL2_RESET 0x30C50830U
#define SCTLR_EE (1U << 25)
#define SCTLR_EL1_E0E (1U << 24)

/* No self-hosted debug of the secure world; every trap of debug and PMU registers to EL3 off. */
#define MDCR_EL3_SDD (1U << 16)

#define HCR_RW (1ULL << 31)
#define CPTR_EL2_RES1 0x33FFU
#define CNTHCTL_EL1_MAY_USE_PHYSICAL_TIMER 3U

#define SPSR_DAIF (0xFU << 6)
#define SPSR_EL1H 5U
#define SPSR_EL2H 9U

#define ATTRIBUTE_BIG_ENDIAN 1U

void arch_eret_scrubbed(uint64_t x0) __attribute__((noreturn));
void arch_warm_boot(uint64_t exit_ticks) __attribute__((noreturn));

bool arch_has_el2(void)
{
    return (SYSREG_READ("id_aa64pfr0_el1") >> 8 & 0xFU) != 0;
}

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

void arch_enter_ns(const struct psci_entry *entry)
{
    bool has_el2 = arch_has_el2();
    bool big_endian = (entry->attributes & ATTRIBUTE_BIG_ENDIAN) != 0;

    SYSREG_WRITE("scr_el3", SCR_NS | SCR_RES1 | SCR_RW | SCR_POINTER_AUTHENTICATION | (has_el2 ? SCR_HCE : 0));
    SYSREG_WRITE("cptr_el3", 0);
    SYSREG_WRITE("mdcr_el3", MDCR_EL3_SDD);
    SYSREG_WRITE("sctlr_el1", SCTLR_EL1_RESET | (big_endian ? SCTLR_EE | SCTLR_EL1_E0E : 0));
    if (has_el2) {
        reset_el2(big_endian);
    }
    SYSREG_WRITE("spsr_el3", SPSR_DAIF | (has_el2 ? SPSR_EL2H : SPSR_EL1H));
    SYSREG_WRITE("elr_el3", entry->address);
    isb();
    arch_eret_scrubbed(entry->context_id);
}

void arch_timers_off(void)
{
    SYSREG_WRITE("cntp_ctl_el0", 0);
    SYSREG_WRITE("cntv_ctl_el0", 0);
    if (arch_has_el2()) {
        SYSREG_WRITE("cnthp_ctl_el2", 0);
    }
}

void arch_warm_boot(uint64_t exit_ticks)
{
    struct psci_entry entry = psci_warm_boot(exit_ticks);

    arch_enter_ns(&entry);
}
