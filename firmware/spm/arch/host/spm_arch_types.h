/* SPDX-License-Identifier: BSD-3-Clause */
/* The SPM's architecture on the development machine: no threads run, memory rights are a list that a test fills. */
#ifndef SPM_ARCH_TYPES_H
#define SPM_ARCH_TYPES_H

struct spm_arch_context {
    int unused;
};

struct spm_arch_region {
    int unused;
};

#define SPM_RETAINED __attribute__((section("spm_retained"))) /* the linker names both ends of it for a test */

#endif
