/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What QEMU leaves out of the tree of a machine whose firmware is not its own: how to call PSCI, and how deep the cores can
 * sleep. What only the secure world can reach is taken out: not everybody who reads the tree looks at `status` first.
 */
#include <libfdt.h>

#include "power_states.h"
#include "tree.h"
#include "tree_psci.h"

/* The times are what Linux's governor is told, no measurements: on an emulator there is none to make. */
static const struct tree_idle_state idle_states[] = {
    { "cpu-standby", STANDBY_CORE, 10, 10, 40 },
    { "cpu-sleep", SUSPEND_CORE, 60, 60, 300 },
    { "cluster-sleep", SUSPEND_CLUSTER, 200, 200, 2000 },
};

static bool is_secure_alone(const void *tree, int node)
{
    const char *status = fdt_getprop(tree, node, "status", NULL);

    return status != NULL && status[0] == 'd' && fdt_getprop(tree, node, "secure-status", NULL) != NULL;
}

/* An offset is good until the tree changes: from the beginning again after each. */
static int remove_secure(void *tree)
{
    int node = fdt_first_subnode(tree, 0);

    while (node >= 0) {
        if (!is_secure_alone(tree, node)) {
            node = fdt_next_subnode(tree, node);
            continue;
        }
        if (fdt_del_node(tree, node) != 0) {
            return -1;
        }
        node = fdt_first_subnode(tree, 0);
    }
    node = fdt_path_offset(tree, "/secure-chosen");
    return node >= 0 ? fdt_del_node(tree, node) : 0;
}

/* The names of what has been taken out. */
static int remove_dangling_aliases(void *tree)
{
    int aliases = fdt_path_offset(tree, "/aliases");
    int property = aliases >= 0 ? fdt_first_property_offset(tree, aliases) : aliases;

    while (property >= 0) {
        const char *name;
        const char *path = fdt_getprop_by_offset(tree, property, &name, NULL);

        if (fdt_path_offset(tree, path) >= 0) {
            property = fdt_next_property_offset(tree, property);
            continue;
        }
        if (fdt_delprop(tree, aliases, name) != 0) {
            return -1;
        }
        property = fdt_first_property_offset(tree, aliases);
    }
    return 0;
}

/* Secure RAM that lies in what the tree calls memory is nobody else's. */
static int reserve(void *tree, const struct tree_machine *machine)
{
    for (unsigned i = 0; i < machine->ranges; i++) {
        const struct tree_range *range = &machine->memory[i];

        if (SECURE_RAM_BASE >= range->base && SECURE_RAM_BASE - range->base < range->bytes) {
            return fdt_add_mem_rsv(tree, SECURE_RAM_BASE, SECURE_RAM_END - SECURE_RAM_BASE);
        }
    }
    return 0;
}

const char *tree_add_firmware(void *tree, const struct tree_machine *machine)
{
    int error = tree_make_room(tree);

    error |= remove_secure(tree);
    error |= remove_dangling_aliases(tree);
    error |= tree_add_psci(tree, idle_states, sizeof(idle_states) / sizeof(idle_states[0]));
    error |= reserve(tree, machine);
    return error != 0 ? "the device tree cannot be added to" : NULL;
}
