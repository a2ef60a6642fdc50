/* SPDX-License-Identifier: BSD-3-Clause */
#include "system_state.h"

struct system_state system_state;
struct system_setup system_setup;
struct psci_topology system_topology;
void (*system_on_access)(unsigned core, const struct access *access);

uint64_t system_context_of(unsigned caller)
{
    return 1U + caller * SYSTEM_OPERATIONS + system_state.position[caller];
}
