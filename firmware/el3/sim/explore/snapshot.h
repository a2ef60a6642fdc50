/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole machine: psci, the system around it, and what of the cores and their stacks is in use. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "host_private.h"
#include "interrupts.h"
#include "parked.h"
#include "psci_private.h"
#include "system.h"

#define SNAPSHOT_STACK_BYTES 4096U

struct snapshot {
    struct interrupts_state interrupts;
    struct parked_state parked;
    struct psci_state psci;
    struct system_state system;
    struct host_core cores[PSCI_MAX_CORES];
    struct host_list watchers;
    struct host_list waiters;
    uint64_t events;
    uint8_t stacks[PSCI_MAX_CORES][SNAPSHOT_STACK_BYTES];
};

void snapshot_save(struct snapshot *snapshot);
void snapshot_restore(const struct snapshot *snapshot);

#endif
