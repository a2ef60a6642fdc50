/* SPDX-License-Identifier: BSD-3-Clause */
/* What the checks of a caller's range are made of: whose memory an address is, and whether a region holds a range. */
#ifndef TEST_TARGET_H
#define TEST_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "spm_arch_types.h"

/* Answer of a TT instruction; the two readable bits and the two writable bits lie side by side. */
#define TT_READ                (1U << 18)
#define TT_READ_WRITE          (1U << 19)
#define TT_NON_SECURE_READ     (1U << 20)
#define TT_NON_SECURE_WRITE    (1U << 21)
#define TT_SAU_REGION_SHIFT    8U
#define TT_MPU_REGION_VALID    (1U << 16)
#define TT_SAU_REGION_VALID    (1U << 17) /* clear for the system space, which no SAU region covers */

/* Whose rights a TT instruction tells. */
enum tt_caller { TT_SECURE_UNPRIVILEGED, TT_NON_SECURE, TT_NON_SECURE_UNPRIVILEGED };

static inline uint32_t tt(enum tt_caller caller, uintptr_t address)
{
    uint32_t answer;

    switch (caller) {
    case TT_SECURE_UNPRIVILEGED:
        __asm__ volatile("ttt %0, %1" : "=r"(answer) : "r"(address));
        break;
    case TT_NON_SECURE:
        __asm__ volatile("tta %0, %1" : "=r"(answer) : "r"(address));
        break;
    default:
        __asm__ volatile("ttat %0, %1" : "=r"(answer) : "r"(address));
        break;
    }
    return answer;
}

static inline bool region_holds(const struct spm_arch_region *region, uintptr_t first, uintptr_t last)
{
    return first >= (region->rbar & ~SPM_REGION_LOW_BITS) && last <= (region->rlar | SPM_REGION_LOW_BITS);
}

#endif
