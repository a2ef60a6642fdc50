/* SPDX-License-Identifier: BSD-3-Clause */
/* What a normal world reads in a device tree to find PSCI. Only the boot core, its MMU off; each returns 0, or not where there is no room. */
#ifndef TREE_PSCI_H
#define TREE_PSCI_H

#include <stdint.h>

struct tree_idle_state {
    const char *name;
    uint32_t power_state;
    uint32_t entry_us;
    uint32_t exit_us;
    uint32_t residency_us;
};

/* Room behind the tree for what is added below; there must be memory. */
int tree_make_room(void *tree);

/* /psci, every core's enable-method, and the idle states, at most TREE_MOST_STATES, of a tree that has none of its own. */
#define TREE_MOST_STATES 4U
int tree_add_psci(void *tree, const struct tree_idle_state *states, unsigned count);

#endif
