/* SPDX-License-Identifier: BSD-3-Clause */
#include "spm.h"

#define MPU_GRANULE 32U
#define MPU_ENABLED 1U

static bool mpu_is_on(enum tt_caller caller)
{
    bool non_secure = caller == TT_NON_SECURE || caller == TT_NON_SECURE_UNPRIVILEGED;

    return ((non_secure ? MPU_CTRL_NS : MPU_CTRL) & MPU_ENABLED) != 0U;
}

/*
 * A privileged caller may use memory outside its MPU's regions, and a region with fewer rights may lie in the middle of
 * it. Only then is every granule looked at.
 */
bool armv8m_is_free_of_regions(enum tt_caller caller, uintptr_t first, uintptr_t last, uint32_t answer)
{
    if (!mpu_is_on(caller)) {
        return true;
    }
    for (uintptr_t at = first; last - at >= MPU_GRANULE; at += MPU_GRANULE) {
        if (tt(caller, at + MPU_GRANULE) != answer) {
            return false;
        }
    }
    return true;
}
