/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_ARCH_TYPES_H
#define SPM_ARCH_TYPES_H

#include <stdint.h>

/* One pair of MPU registers. */
struct spm_arch_region {
    uint32_t rbar;
    uint32_t rlar;
};

/*
 * Regions that change with the partition: a table of four, or of five where a partition needs more, so that a switch
 * loads it without a loop. The context's pointer to a table of five has this bit set.
 */
#define SPM_ARCH_REGIONS      4U
#define SPM_ARCH_FIVE_REGIONS 1U

#define SPM_RBAR_PRIVILEGED_RW_XN   0x1U
#define SPM_RBAR_PRIVILEGED_RO      0x4U
#define SPM_RBAR_PRIVILEGED_RO_XN   0x5U
#define SPM_RBAR_UNPRIVILEGED_RO    0x6U
#define SPM_RBAR_UNPRIVILEGED_RW_XN 0x3U
#define SPM_RBAR_UNPRIVILEGED_RO_XN 0x7U
#define SPM_RBAR_READ_ONLY          0x4U
#define SPM_REGION_LOW_BITS         0x1FU
#define SPM_RLAR_MEMORY             0x1U
#define SPM_RLAR_DEVICE             0x3U

/* Bounds are linker symbols at multiples of 32, which C can add to but not mask. */
#define SPM_ARCH_MEMORY(start, end) { (uint32_t)(start) + SPM_RBAR_UNPRIVILEGED_RW_XN, (uint32_t)(end) - 32U + SPM_RLAR_MEMORY }
#define SPM_ARCH_CONSTANTS(start, end) { (uint32_t)(start) + SPM_RBAR_UNPRIVILEGED_RO, (uint32_t)(end) - 32U + SPM_RLAR_MEMORY }
#define SPM_ARCH_DEVICE(base, bytes) { (base) + SPM_RBAR_UNPRIVILEGED_RW_XN, (base) + (bytes) - 32U + SPM_RLAR_DEVICE }
#define SPM_ARCH_DEVICE_RO(base, bytes) { (base) + SPM_RBAR_UNPRIVILEGED_RO_XN, (base) + (bytes) - 32U + SPM_RLAR_DEVICE }

/*
 * A base and a limit are two registers: between the two writes a region has the new base and the old limit. An empty one
 * begins above everything, so that it never lies over code meanwhile, which would be two regions in one place: a fault.
 */
#define SPM_ARCH_NO_REGION { 0xFFFFFFE0U, 0U }

/* switch.S knows these offsets. */
struct spm_arch_context {
    uint32_t callee_saved[8]; /* r4 to r11 */
    uint32_t psp;
    uint32_t exc_return;
    uint32_t psplim;
    uint32_t control;
    const struct spm_arch_region *regions;
    uint32_t floating_point[16]; /* s16 to s31 */
};

#define SPM_RETAINED __attribute__((section(".retained")))

#endif
