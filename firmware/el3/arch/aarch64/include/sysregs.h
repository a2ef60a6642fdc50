/* SPDX-License-Identifier: BSD-3-Clause */
/* System registers, and what else there is no C for, by name. Unit tests have a sysregs.h of their own. */
#ifndef SYSREGS_H
#define SYSREGS_H

#include <stdint.h>

#define SYSREG_READ(name)                                       \
    ({                                                          \
        uint64_t sysreg_value;                                  \
        __asm__ volatile("mrs %0, " name : "=r"(sysreg_value)); \
        sysreg_value;                                           \
    })

/* Of a register that never changes on a core: the compiler may keep what it has read. */
#define SYSREG_READ_FIXED(name)                        \
    ({                                                 \
        uint64_t sysreg_value;                         \
        __asm__("mrs %0, " name : "=r"(sysreg_value)); \
        sysreg_value;                                  \
    })

/* A later instruction that depends on the new value needs an isb() first. */
#define SYSREG_WRITE(name, value) __asm__ volatile("msr " name ", %0" ::"r"((uint64_t)(value)) : "memory")

static inline void isb(void)
{
    __asm__ volatile("isb" ::: "memory");
}

static inline void dsb_sy(void)
{
    __asm__ volatile("dsb sy" ::: "memory");
}

/* The data at this address goes to memory and out of the caches, before a later barrier has ended. */
static inline void dc_civac(uintptr_t address)
{
    __asm__ volatile("dc civac, %0" ::"r"(address) : "memory");
}

/* The translations of EL3 that this core holds are forgotten before the next instruction. */
static inline void tlb_forget(void)
{
    __asm__ volatile("tlbi alle3\n\tdsb nsh\n\tisb" ::: "memory");
}

/* SCTLR_EL3 has one value and then another; there is no access to data in between. */
static inline void sctlr_el3_write_both(uint64_t first, uint64_t second)
{
    __asm__ volatile("msr sctlr_el3, %0\n\tisb\n\tmsr sctlr_el3, %1\n\tisb" ::"r"(first), "r"(second) : "memory");
}

#endif
