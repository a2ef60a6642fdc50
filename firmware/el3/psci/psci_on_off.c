/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU_ON and CPU_OFF.
 *
 *   caller: psci_call() -> psci_cpu_on() -> the platform's core_on() ... the other core: reset -> psci_warm_boot()
 *   caller: psci_call() -> psci_cpu_off() -> psci_coordinate_down() -> psci_power_down(), no return
 *
 * No lock is held here. The step from OFF to ON_PENDING makes one caller the owner of the core's entry until that core has come.
 */
#include "psci_private.h"

bool psci_set_entry(struct psci_entry *entry, uint64_t address, uint64_t context_id)
{
    const uint64_t instruction_bytes = 4;

    if (address % instruction_bytes != 0 || !psci.platform->is_ns_memory(address, instruction_bytes)) {
        return false;
    }
    entry->address = address;
    entry->context_id = context_id;
    entry->attributes = arch_caller_attributes();
    return true;
}

int64_t psci_cpu_on(uint64_t mpidr, uint64_t address, uint64_t context_id)
{
    struct psci_core *core = psci_core_of_mpidr(mpidr);
    struct psci_entry entry;

    if (core == NULL) {
        return PSCI_INVALID_PARAMETERS;
    }
    if (!psci_set_entry(&entry, address, context_id)) {
        return PSCI_INVALID_ADDRESS;
    }
    /* Of several callers one makes this step; the others read why they did not. */
    if (!arch_shared_compare_swap(&core->state, PSCI_CORE_OFF, PSCI_CORE_ON_PENDING)) {
        return arch_shared_load(&core->state) == PSCI_CORE_ON_PENDING ? PSCI_ON_PENDING : PSCI_ALREADY_ON;
    }
    core->entry = entry;
    arch_publish(); /* before the platform tells anybody: it may be a device that starts the core, and the core reads the entry */
    if (!psci.platform->core_on(core->index)) {
        arch_shared_store(&core->state, PSCI_CORE_OFF);
        return PSCI_INTERNAL_FAILURE;
    }
    return PSCI_SUCCESS;
}

void psci_cpu_off(void)
{
    struct psci_core *core = psci_self();

    psci_power_down(core, psci_coordinate_down(core, &psci.off), true);
}
