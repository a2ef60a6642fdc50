#ifndef SPM_ARCH_INLINE_H
#define SPM_ARCH_INLINE_H

#include "armv8m.h"

/* Answer of a TT instruction; the two readable bits and the two writable bits lie side by side. */
#define TT_READ                (1U << 18)
#define TT_READ_WRITE          (1U << 19)
#define TT_NON_SECURE_READ     (1U << 20)
#define TT_NON_SECURE_WRITE    (1U << 21)
#define TT_SAU_REGION_SHIFT    8U
#define TT_SAU_REGION_VALID    (1U << 17) /* clear for the system space, which no SAU region covers */

static inline uint32_t tt_unprivileged(uintptr_t address)
{
    uint32_t answer;

    __asm__ volatile("ttt %0, %1" : "=r"(answer) : "r"(address));
    return answer;
}

static inline uint32_t tt_privileged(uintptr_t address)
{
    uint32_t answer;

    __asm__ volatile("tt %0, %1" : "=r"(answer) : "r"(address));
    return answer;
}

static inline uint32_t tt_non_secure(uintptr_t address)
{
    uint32_t answer;

    __asm__ volatile("tta %0, %1" : "=r"(answer) : "r"(address));
    return answer;
}

static inline uint32_t tt_non_secure_unprivileged(uintptr_t address)
{
    uint32_t answer;

    __asm__ volatile("ttat %0, %1" : "=r"(answer) : "r"(address));
    return answer;
}

/* Handler mode is privileged, but no call comes from there; so the non-secure CONTROL register decides. */
static inline bool non_secure_is_unprivileged(void)
{
    uint32_t control;

    __asm__ volatile("mrs %0, control_ns" : "=r"(control));
    return (control & 1U) != 0U;
}

/*
 * Regions of an MPU or SAU do not overlap on this architecture, so a range lies in one piece of memory when the
 * answers for both ends, which name their regions, are the same.
 */
static inline bool non_secure_permits(uintptr_t first, uintptr_t last, enum spm_access access)
{
    bool unprivileged = non_secure_is_unprivileged();
    uint32_t answer = unprivileged ? tt_non_secure_unprivileged(first) : tt_non_secure(first);
    uint32_t right = access == SPM_WRITE ? TT_NON_SECURE_WRITE : TT_NON_SECURE_READ;

    if ((answer & right) == 0U || (answer & TT_SAU_REGION_VALID) == 0U ||
        (answer >> TT_SAU_REGION_SHIFT & 0xFFU) > SAU_LAST_MEMORY_REGION) {
        return false;
    }
    return answer == (unprivileged ? tt_non_secure_unprivileged(last) : tt_non_secure(last));
}

static inline bool secure_permits(uintptr_t first, uintptr_t last, enum spm_access access, bool privileged)
{
    uint32_t answer = privileged ? tt_privileged(first) : tt_unprivileged(first);
    uint32_t right = access == SPM_WRITE ? TT_READ_WRITE : TT_READ;

    return (answer & right) != 0U && answer == (privileged ? tt_privileged(last) : tt_unprivileged(last));
}

static inline bool spm_arch_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access)
{
    uintptr_t first = (uintptr_t)base;
    uintptr_t last = first + bytes - 1U;

    if (last < first) {
        return false;
    }
    if (spm_is_non_secure(caller)) {
        return non_secure_permits(first, last, access);
    }
    return secure_permits(first, last, access, caller->info->regions == NULL);
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

static inline void spm_arch_wait(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

#endif
