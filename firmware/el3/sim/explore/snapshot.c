/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *used_stack(unsigned core, size_t *bytes)
{
    size_t all;
    uint8_t *stack = host_stack(core, &all);
    uint8_t *pointer = host_cores[core].coroutine.stack_pointer;

    *bytes = (size_t)(stack + all - pointer);
    if (*bytes > SNAPSHOT_STACK_BYTES) {
        fprintf(stderr, "core %u uses %zu bytes of stack, more than a snapshot keeps\n", core, *bytes);
        exit(2);
    }
    return pointer;
}

static void copy_psci(struct psci_state *to, const struct psci_state *from)
{
    memcpy(to, from, offsetof(struct psci_state, cores) + system_setup.cores * sizeof(from->cores[0]));
    memcpy(to->domains, from->domains, system_topology.domains * sizeof(from->domains[0]));
}

void snapshot_save(struct snapshot *snapshot)
{
    size_t bytes;

    copy_psci(&snapshot->psci, &psci);
    snapshot->system = system_state;
    if (interrupts_setup.version != 0) {
        snapshot->interrupts = interrupts_state;
        snapshot->parked = parked_save();
    }
    memcpy(snapshot->cores, host_cores, system_setup.cores * sizeof(host_cores[0]));
    snapshot->watchers = host_watchers;
    snapshot->waiters = host_waiters;
    snapshot->events = host_events;
    for (unsigned core = 0; core < system_setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(snapshot->stacks[core], stack, bytes);
    }
}

void snapshot_restore(const struct snapshot *snapshot)
{
    size_t bytes;

    copy_psci(&psci, &snapshot->psci);
    system_state = snapshot->system;
    if (interrupts_setup.version != 0) {
        interrupts_state = snapshot->interrupts;
        parked_restore(&snapshot->parked);
    }
    memcpy(host_cores, snapshot->cores, system_setup.cores * sizeof(host_cores[0]));
    host_watchers = snapshot->watchers;
    host_waiters = snapshot->waiters;
    host_events = snapshot->events;
    for (unsigned core = 0; core < system_setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(stack, snapshot->stacks[core], bytes);
    }
}
