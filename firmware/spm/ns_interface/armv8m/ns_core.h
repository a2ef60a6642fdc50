/* SPDX-License-Identifier: BSD-3-Clause */
/* What rtos.c asks of the processor that runs it: Armv8-M, non-secure thread mode. Unit tests bring a header of their own. */
#ifndef NS_CORE_H
#define NS_CORE_H

#include <stdbool.h>
#include <stdint.h>

#define NS_CORE_CONTROL_UNPRIVILEGED 1U

static inline bool ns_core_interrupts_are_masked(void)
{
    uint32_t primask;
    uint32_t basepri;
    uint32_t faultmask;

    __asm__ volatile("mrs %0, primask\n\tmrs %1, basepri\n\tmrs %2, faultmask" : "=r"(primask), "=r"(basepri), "=r"(faultmask));
    return (primask | basepri | faultmask) != 0U;
}

static inline bool ns_core_is_unprivileged(void)
{
    uint32_t control;

    __asm__ volatile("mrs %0, control" : "=r"(control));
    return (control & NS_CORE_CONTROL_UNPRIVILEGED) != 0U;
}

static inline void ns_core_mask(void)
{
    __asm__ volatile("cpsid i" ::: "memory");
}

static inline void ns_core_unmask(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

/* An undefined instruction: the fault names the caller. */
static inline _Noreturn void ns_core_stop(void)
{
    __builtin_trap();
}

#endif
