/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_ARCH_INLINE_H
#define SPM_ARCH_INLINE_H

#include "armv8m.h"
#include "test_target.h"

/* Handler mode is privileged, but no call comes from there; so the non-secure CONTROL register decides. */
static inline bool non_secure_is_unprivileged(void)
{
    uint32_t control;

    __asm__ volatile("mrs %0, control_ns" : "=r"(control));
    return (control & 1U) != 0U;
}

/* For a range whose ends lie in no MPU region: is that so all the way? */
bool armv8m_is_free_of_regions(enum tt_caller caller, uintptr_t first, uintptr_t last, uint32_t answer);

/*
 * Regions of an MPU or SAU do not overlap on this architecture, so a range lies in one region when the answers for both
 * ends, which name their regions, are the same.
 */
static inline bool is_one_piece(enum tt_caller caller, uintptr_t first, uintptr_t last, uint32_t answer)
{
    if (answer != tt(caller, last)) {
        return false;
    }
    return (answer & TT_MPU_REGION_VALID) != 0U || armv8m_is_free_of_regions(caller, first, last, answer);
}

/* Memory that is not in one of the SAU's memory regions belongs to devices, or to the system. */
static inline bool non_secure_permits(enum tt_caller caller, uintptr_t first, uintptr_t last, enum spm_access access)
{
    uint32_t needed = (access == SPM_WRITE ? TT_NON_SECURE_WRITE : TT_NON_SECURE_READ) | TT_SAU_REGION_VALID;
    uint32_t answer = tt(caller, first);

    if ((answer & needed) != needed || (answer >> TT_SAU_REGION_SHIFT & 0xFFU) > SAU_LAST_MEMORY_REGION) {
        return false;
    }
    return is_one_piece(caller, first, last, answer);
}

static inline bool unprivileged_permits(uintptr_t first, uintptr_t last, enum spm_access access)
{
    uint32_t answer = tt(TT_SECURE_UNPRIVILEGED, first);

    return (answer & (access == SPM_WRITE ? TT_READ_WRITE : TT_READ)) != 0U &&
           is_one_piece(TT_SECURE_UNPRIVILEGED, first, last, answer);
}

/* The rarer cases of named_by_manifest(): code and constants, devices, the stack of a caller without one of its own. */
bool armv8m_is_in_other_memory(const struct spm_partition_info *info, uintptr_t first, uintptr_t last, enum spm_access access);

/* A privileged partition could reach everything, so what it may name is what its manifest gives it. */
static inline bool named_by_manifest(const struct spm_partition_info *info, uintptr_t first, uintptr_t last, enum spm_access access)
{
    return region_holds(&info->memory[0], first, last) || armv8m_is_in_other_memory(info, first, last, access);
}

static inline bool spm_arch_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access)
{
    uintptr_t first = (uintptr_t)base;
    uintptr_t last = first + bytes - 1U;

    if (last < first) {
        return false;
    }
    if (spm_is_non_secure(caller)) {
        return non_secure_is_unprivileged() ? non_secure_permits(TT_NON_SECURE_UNPRIVILEGED, first, last, access)
                                            : non_secure_permits(TT_NON_SECURE, first, last, access);
    }
    return caller->info->regions == NULL ? named_by_manifest(caller->info, first, last, access)
                                         : unprivileged_permits(first, last, access);
}

void armv8m_copy(void *to, const void *from, size_t bytes);

static inline void spm_arch_copy(void *to, const void *from, size_t bytes)
{
    armv8m_copy(to, from, bytes);
}

static inline void spm_arch_request_switch(void)
{
    SCB_ICSR = ICSR_PENDSVSET;
}

static inline bool non_secure_masks(void)
{
    uint32_t primask;
    uint32_t basepri;
    uint32_t faultmask;

    __asm__ volatile("mrs %0, primask_ns\n\tmrs %1, basepri_ns\n\tmrs %2, faultmask_ns" : "=r"(primask), "=r"(basepri), "=r"(faultmask));
    return (primask | basepri | faultmask) != 0U;
}

/* A mask of the non-secure side holds off PendSV, but not SysTick, which has the same handler. */
static inline void spm_arch_switch(void)
{
    SCB_ICSR = non_secure_masks() ? ICSR_PENDSTSET | ICSR_PENDSVCLR : ICSR_PENDSVSET;
    dsb_isb();
}

static inline void spm_arch_wait(void)
{
    __asm__ volatile("wfe" ::: "memory");
}

#endif
