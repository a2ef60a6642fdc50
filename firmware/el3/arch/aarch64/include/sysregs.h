/* SPDX-License-Identifier: BSD-3-Clause */
/* System registers by name. */
#ifndef SYSREGS_H
#define SYSREGS_H

#include <stdint.h>

#define SYSREG_READ(name)                                       \
    ({                                                          \
        uint64_t sysreg_value;                                  \
        __asm__ volatile("mrs %0, " name : "=r"(sysreg_value)); \
        sysreg_value;                                           \
    })

/* A later instruction that depends on the new value needs an isb() first. */
#define SYSREG_WRITE(name, value) __asm__ volatile("msr " name ", %0" ::"r"((uint64_t)(value)) : "memory")

static inline void isb(void)
{
    __asm__ volatile("isb" ::: "memory");
}

#endif
