/* SPDX-License-Identifier: BSD-3-Clause */
#include "offsets.h"
#include "spm.h"

void spm_arch_thread_init(struct spm_partition *partition, void (*entry)(void))
{
    const struct spm_partition_info *info = partition->info;

    partition->context.psplim = info->stack_limit;
    partition->context.regions = info->regions;
    partition->context.control = info->regions != NULL ? 3U : 2U;
    if (entry == NULL) {
        return;
    }

    uint32_t *frame = (uint32_t *)info->stack_top - FRAME_BYTES / sizeof(uint32_t);

    for (uint32_t i = 0; i < FRAME_BYTES / sizeof(uint32_t); i++) {
        frame[i] = 0;
    }
    frame[FRAME_LR / 4] = (uint32_t)psa_panic;
    frame[FRAME_PC / 4] = (uint32_t)entry & ~1U;
    frame[FRAME_XPSR / 4] = 0x01000000U;
    partition->context.psp = (uint32_t)frame;
    partition->context.exc_return = 0xFFFFFFFDU;
}
