/* SPDX-License-Identifier: BSD-3-Clause */
#include "stores.h"

#include <string.h>

#include "psci_private.h"
#include "system_state.h"

void stores_begin(void)
{
    for (unsigned core = 0; core < system_setup.cores; core++) {
        system_state.entries[core] = psci.cores[core].entry;
    }
}

static bool differ(const struct psci_entry *a, const struct psci_entry *b)
{
    return a->address != b->address || a->context_id != b->context_id || a->attributes != b->attributes;
}

void stores_hold_back(unsigned core)
{
    for (unsigned target = 0; target < system_setup.cores; target++) {
        struct psci_entry *entry = &psci.cores[target].entry;

        if (!differ(entry, &system_state.entries[target])) {
            continue;
        }
        if (target != core) {
            stores_drain(core);
            system_state.held[core] = (struct held_store){ *entry, (uint8_t)(target + 1U) };
            *entry = system_state.entries[target];
        } else {
            system_state.entries[target] = *entry;
        }
    }
}

void stores_drain(unsigned core)
{
    struct held_store *held = &system_state.held[core];

    if (held->target != 0) {
        psci.cores[held->target - 1U].entry = held->entry;
        system_state.entries[held->target - 1U] = held->entry;
        memset(held, 0, sizeof(*held));
    }
}

void stores_publish(void)
{
    stores_hold_back(host_self());
    stores_drain(host_self());
}

bool stores_held(unsigned core)
{
    return system_state.held[core].target != 0;
}

/* docs/explanation/locking.md says of each what it orders; the DSB of a shared access comes with its cache maintenance. */
bool stores_is_barrier(const struct access *access)
{
    switch (access->operation) {
    case HOST_LOCK_RELEASE:
    case HOST_SHARED_LOAD:
    case HOST_SHARED_STORE:
    case HOST_SHARED_COMPARE_SWAP:
    case HOST_EVENT_SEND:
    case HOST_INTERRUPT_WAIT:
    case HOST_CACHE_POWER_DOWN:
    case HOST_PUBLISH:
        return true;
    default:
        return false;
    }
}
