/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_ARCH_TYPES_H
#define SPM_ARCH_TYPES_H

#include <stdint.h>

/* One pair of MPU registers. */
struct spm_arch_region {
    uint32_t rbar;
    uint32_t rlar;
};

/* Regions that change with the partition: a table of this length, so that a switch loads it without a loop. */
#define SPM_ARCH_REGIONS 4U

#define SPM_RBAR_UNPRIVILEGED_RW_XN 0x3U
#define SPM_RBAR_UNPRIVILEGED_RO_XN 0x7U
#define SPM_RLAR_MEMORY             0x1U
#define SPM_RLAR_DEVICE             0x3U

/* Bounds are linker symbols at multiples of 32, which C can add to but not mask. */
#define SPM_ARCH_MEMORY(start, end) { (uint32_t)(start) + SPM_RBAR_UNPRIVILEGED_RW_XN, (uint32_t)(end) - 32U + SPM_RLAR_MEMORY }
#define SPM_ARCH_DEVICE(base, bytes) { (base) + SPM_RBAR_UNPRIVILEGED_RW_XN, (base) + (bytes) - 32U + SPM_RLAR_DEVICE }
#define SPM_ARCH_NO_REGION { 0U, 0U }

/* switch.S knows these offsets. */
struct spm_arch_context {
    uint32_t callee_saved[8]; /* r4 to r11 */
    uint32_t psp;
    uint32_t exc_return;
    uint32_t psplim;
    uint32_t control;
    const struct spm_arch_region *regions;
};

#define SPM_RETAINED __attribute__((section(".retained")))

#endif
