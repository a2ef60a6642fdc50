/* SPDX-License-Identifier: BSD-3-Clause */
/* The SPM's architecture on the development machine with threads that switch, and interrupts that come where a schedule says. */
#ifndef SPM_ARCH_TYPES_H
#define SPM_ARCH_TYPES_H

#include <stdint.h>

struct spm_arch_context {
    uint32_t thread;
};

struct spm_arch_region {
    int unused;
};

#define SPM_RETAINED

#endif
