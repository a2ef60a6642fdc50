/* SPDX-License-Identifier: BSD-3-Clause */
#include "psci.h"

#include "smc.h"

int64_t psci_affinity_info(uint64_t mpidr, uint32_t level)
{
    return (int32_t)smc(SMC64(PSCI_AFFINITY_INFO), mpidr, level, 0).x[0];
}

int64_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context_id)
{
    return (int32_t)smc(SMC64(PSCI_CPU_ON), mpidr, entry, context_id).x[0];
}

int64_t psci_cpu_off(void)
{
    return (int32_t)smc(PSCI_CPU_OFF, 0, 0, 0).x[0];
}

_Noreturn void psci_system_off(void)
{
    smc(PSCI_SYSTEM_OFF, 0, 0, 0);
    for (;;) {
        __asm__ volatile("wfi");
    }
}
