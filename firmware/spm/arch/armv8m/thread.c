/* SPDX-License-Identifier: BSD-3-Clause */
#include "offsets.h"
#include "spm.h"

/* Seals a stack; returns where it begins now. */
static uint32_t *seal(uintptr_t top)
{
    uint32_t *words = (uint32_t *)top - STACK_SEAL_BYTES / sizeof(uint32_t);

    words[0] = STACK_SEAL;
    words[1] = STACK_SEAL;
    return words;
}

void spm_arch_thread_init(struct spm_partition *partition, void (*entry)(void))
{
    const struct spm_partition_info *info = partition->info;

    partition->context.psplim = info->stack_limit;
    partition->context.regions = info->regions;
    if (info->region_count > SPM_ARCH_REGIONS) {
        partition->context.regions = (const struct spm_arch_region *)((uintptr_t)info->regions | SPM_ARCH_FIVE_REGIONS);
    }
    partition->context.control = info->regions != NULL ? 3U : 2U;
    if (info->flih_stack_top != 0U) {
        seal(info->flih_stack_top);
    }
    if (entry == NULL) {
        return;
    }

    uint32_t *frame = seal(info->stack_top) - FRAME_BYTES / sizeof(uint32_t);

    for (uint32_t i = 0; i < FRAME_BYTES / sizeof(uint32_t); i++) {
        frame[i] = 0;
    }
    frame[FRAME_LR / 4] = (uint32_t)psa_panic;
    frame[FRAME_PC / 4] = (uint32_t)entry & ~1U;
    frame[FRAME_XPSR / 4] = 0x01000000U;
    partition->context.psp = (uint32_t)frame;
    partition->context.exc_return = 0xFFFFFFFDU;
}
