/* SPDX-License-Identifier: BSD-3-Clause */
#include "suspend.h"

#include "gic.h"
#include "psci.h"
#include "smc.h"

struct suspend_result psci_resumable_call(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct smc_frame frame = { .x = { function, a1, a2, a3 } };
    struct smc_return back = smc_frame_call(&frame);

    if (!back.resumed) {
        return (struct suspend_result) { .status = (int32_t)frame.x[0] };
    }
    gic_core_init();
    return (struct suspend_result) { .status = PSCI_SUCCESS, .context_id = back.context_id, .resumed = true };
}

struct suspend_result psci_cpu_suspend(uint32_t power_state, uint64_t context_id)
{
    return psci_resumable_call(SMC64(PSCI_CPU_SUSPEND), power_state, (uint64_t)payload_resume, context_id);
}
