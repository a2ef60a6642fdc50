/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls about the whole system: suspend mode, types of reset and of off, memory protection.
 *
 *   psci_call() -> psci_<call>() -> the platform's hook; resets and offs do not return
 *
 * No lock is held. The mode's own word is one while it changes (PSCI_MODE_CHANGING): who reads it then waits.
 */
#include "psci_private.h"

static bool is_on_or_off(enum psci_core_state state)
{
    return state == PSCI_CORE_ON || state == PSCI_CORE_OFF;
}

enum psci_suspend_mode psci_suspend_mode(void)
{
    uint32_t mode = arch_shared_load(&psci.suspend_mode);

    while (mode == PSCI_MODE_CHANGING) {
        arch_relax(&psci.suspend_mode);
        mode = arch_shared_load(&psci.suspend_mode);
    }
    return (enum psci_suspend_mode)mode;
}

/*
 * DEN0022, 5.20.2: OS-initiated needs every core on or off, the way back needs every other core off. A suspend announces
 * itself before it reads the mode, and the mode is held back before the look: one of the two sees the other.
 */
int64_t psci_set_suspend_mode(uint64_t wanted)
{
    if (wanted != PSCI_PLATFORM_COORDINATED && wanted != PSCI_OS_INITIATED) {
        return PSCI_INVALID_PARAMETERS;
    }
    enum psci_suspend_mode mode;

    do {
        mode = psci_suspend_mode();
        if (mode == wanted) {
            return PSCI_SUCCESS;
        }
    } while (!arch_shared_compare_swap(&psci.suspend_mode, mode, PSCI_MODE_CHANGING));
    bool may_change = psci_all_others(psci_self(), wanted == PSCI_OS_INITIATED ? is_on_or_off : psci_is_off);

    arch_shared_store(&psci.suspend_mode, may_change ? (uint32_t)wanted : (uint32_t)mode);
    return may_change ? PSCI_SUCCESS : PSCI_DENIED;
}

/* Where all others are off they stay so: only a core that runs could start one, and this one does not return. */
void psci_system_reset(void)
{
    psci.platform->system_reset(psci_all_others(psci_self(), psci_is_off));
}

int64_t psci_system_reset2(uint32_t type)
{
    const uint32_t warm_reset = 0;

    if (type != warm_reset) {
        return PSCI_INVALID_PARAMETERS;
    }
    psci_system_reset();
}

/*
 * Both types ask for HIBERNATE_OFF (0 for callers of an earlier edition). What comes back is the normal world's own image on
 * its own storage, so the platform has nothing to keep.
 */
int64_t psci_system_off2(uint32_t type, uint64_t cookie)
{
    if (type > PSCI_HIBERNATE_OFF || cookie != 0) {
        return PSCI_INVALID_PARAMETERS;
    }
    psci.platform->system_off();
}

int64_t psci_mem_protect(uint64_t enable)
{
    if (psci.platform->mem_protect == NULL) {
        return PSCI_NOT_SUPPORTED;
    }
    if (enable > 1) {
        return PSCI_INVALID_PARAMETERS;
    }
    return psci.platform->mem_protect(enable == 1) ? 1 : 0;
}

int64_t psci_mem_protect_check_range(uint64_t base, uint64_t bytes)
{
    if (psci.platform->mem_protect == NULL) {
        return PSCI_NOT_SUPPORTED;
    }
    return bytes != 0 && psci.platform->is_ns_memory(base, bytes) ? PSCI_SUCCESS : PSCI_DENIED;
}
