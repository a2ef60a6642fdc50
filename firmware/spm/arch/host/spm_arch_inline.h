/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_ARCH_INLINE_H
#define SPM_ARCH_INLINE_H

#include "spm_host.h"

static inline bool spm_arch_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access)
{
    return spm_host_permits(caller, base, bytes, access);
}

static inline void spm_arch_copy(void *to, const void *from, size_t bytes)
{
    spm_host_copy(to, from, bytes);
}

static inline void spm_arch_request_switch(void)
{
    spm_host_switch_requests++;
}

static inline void spm_arch_switch(void)
{
    spm_host_switch_requests++;
}

static inline void spm_arch_wait(void)
{
}

#endif
