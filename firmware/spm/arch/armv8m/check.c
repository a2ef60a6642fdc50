/* SPDX-License-Identifier: BSD-3-Clause */
#include "spm.h"
#include "test_target.h"

#define MPU_GRANULE 32U
#define MPU_ENABLED 1U

static bool mpu_is_on(enum tt_caller caller)
{
    bool non_secure = caller == TT_NON_SECURE || caller == TT_NON_SECURE_UNPRIVILEGED;

    return ((non_secure ? MPU_CTRL_NS : MPU_CTRL) & MPU_ENABLED) != 0U;
}

bool armv8m_is_in_other_memory(const struct spm_partition_info *info, uintptr_t first, uintptr_t last, enum spm_access access)
{
    for (uint32_t i = 1; i < info->memory_count; i++) {
        const struct spm_arch_region *region = &info->memory[i];

        if (region_holds(region, first, last)) {
            return access == SPM_READ || (region->rbar & SPM_RBAR_READ_ONLY) == 0U;
        }
    }
    return false;
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
