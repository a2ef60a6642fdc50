/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls about the whole system: suspend mode, reset types, memory protection. */
#include "psci_private.h"

static bool is_on_or_off(enum psci_core_state state)
{
    return state == PSCI_CORE_ON || state == PSCI_CORE_OFF;
}

/* DEN0022, 5.20.2: OS-initiated needs every core on or off, the way back needs every other core off. */
int64_t psci_set_suspend_mode(uint64_t mode)
{
    const uint64_t platform_coordinated = 0;
    const uint64_t os_initiated = 1;

    if (mode != platform_coordinated && mode != os_initiated) {
        return PSCI_INVALID_PARAMETERS;
    }
    if (arch_shared_load(&psci.os_initiated) == mode) {
        return PSCI_SUCCESS;
    }
    if (!psci_all_others(psci_self(), mode == os_initiated ? is_on_or_off : psci_is_off)) {
        return PSCI_DENIED;
    }
    arch_shared_store(&psci.os_initiated, (uint32_t)mode);
    return PSCI_SUCCESS;
}

int64_t psci_system_reset2(uint32_t type)
{
    const uint32_t warm_reset = 0;

    if (type != warm_reset) {
        return PSCI_INVALID_PARAMETERS;
    }
    psci.platform->system_reset();
}

int64_t psci_mem_protect(uint64_t enable)
{
    if (enable > 1) {
        return PSCI_INVALID_PARAMETERS;
    }
    return psci.platform->mem_protect(enable == 1) ? 1 : 0;
}

int64_t psci_mem_protect_check_range(uint64_t base, uint64_t bytes)
{
    return bytes != 0 && psci.platform->is_ns_memory(base, bytes) ? PSCI_SUCCESS : PSCI_DENIED;
}
