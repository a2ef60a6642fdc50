/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What QEMU leaves out of the tree of a machine whose firmware is not its own: how to call PSCI, and how deep the cores can
 * sleep. What only the secure world can reach is taken out: not everybody who reads the tree looks at `status` first.
 */
#include <libfdt.h>

#include "power_states.h"
#include "tree.h"

#define ROOM_BYTES 0x2000
#define IDLE_STATES (sizeof(idle_states) / sizeof(idle_states[0]))

struct idle_state {
    const char *name;
    uint32_t power_state;
    uint32_t entry_us;
    uint32_t exit_us;
    uint32_t residency_us;
};

/* The times are what Linux's governor is told, no measurements: on an emulator there is none to make. */
static const struct idle_state idle_states[] = {
    { "cpu-standby", STANDBY_CORE, 10, 10, 40 },
    { "cpu-sleep", SUSPEND_CORE, 60, 60, 300 },
    { "cluster-sleep", SUSPEND_CLUSTER, 200, 200, 2000 },
};

static const char psci_compatible[] = "arm,psci-1.0\0arm,psci-0.2";

static int set_text(void *tree, int node, const char *name, const char *text)
{
    return fdt_setprop(tree, node, name, text, (int)strlen(text) + 1);
}

static int add_psci(void *tree)
{
    int node = fdt_path_offset(tree, "/psci");

    if (node >= 0) {
        return 0;
    }
    node = fdt_add_subnode(tree, 0, "psci");
    if (node < 0 || fdt_setprop(tree, node, "compatible", psci_compatible, sizeof(psci_compatible)) != 0) {
        return -1;
    }
    return set_text(tree, node, "method", "smc");
}

static int add_idle_state(void *tree, int group, const struct idle_state *state, uint32_t phandle)
{
    int node = fdt_add_subnode(tree, group, state->name);
    int error = node < 0 ? node : set_text(tree, node, "compatible", "arm,idle-state");

    error |= fdt_setprop_u32(tree, node, "arm,psci-suspend-param", state->power_state);
    error |= fdt_setprop_u32(tree, node, "entry-latency-us", state->entry_us);
    error |= fdt_setprop_u32(tree, node, "exit-latency-us", state->exit_us);
    error |= fdt_setprop_u32(tree, node, "min-residency-us", state->residency_us);
    return error | fdt_setprop_u32(tree, node, "phandle", phandle);
}

/* A new node goes before those that are there: the last state first. */
static int add_idle_states(void *tree, uint32_t first_phandle)
{
    int cpus = fdt_path_offset(tree, "/cpus");
    int group = fdt_add_subnode(tree, cpus, "idle-states");
    int error = group < 0 ? group : set_text(tree, group, "entry-method", "psci");

    for (unsigned state = IDLE_STATES; error == 0 && state-- > 0;) {
        error = add_idle_state(tree, group, &idle_states[state], first_phandle + state);
    }
    return error;
}

static int add_to_cores(void *tree, uint32_t first_phandle)
{
    fdt32_t states[IDLE_STATES];
    int node;

    for (unsigned state = 0; state < IDLE_STATES; state++) {
        states[state] = cpu_to_fdt32(first_phandle + state);
    }
    fdt_for_each_subnode(node, tree, fdt_path_offset(tree, "/cpus")) {
        if (fdt_getprop(tree, node, "device_type", NULL) == NULL) {
            continue;
        }
        if (set_text(tree, node, "enable-method", "psci") != 0 ||
            (first_phandle != 0 && fdt_setprop(tree, node, "cpu-idle-states", states, sizeof(states)) != 0)) {
            return -1;
        }
    }
    return 0;
}

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

/* QEMU's own tree has a megabyte of it; one that the user gives may have none. */
static int make_room(void *tree)
{
    uint32_t used = fdt_off_dt_strings(tree) + fdt_size_dt_strings(tree);
    bool has_room = fdt_version(tree) >= 17 && fdt_off_dt_strings(tree) > fdt_off_dt_struct(tree) && fdt_totalsize(tree) - used >= ROOM_BYTES;

    return has_room ? 0 : fdt_open_into(tree, tree, (int)fdt_totalsize(tree) + ROOM_BYTES);
}

const char *tree_add_firmware(void *tree, const struct tree_machine *machine)
{
    uint32_t phandle = 0;
    int error = make_room(tree);
    bool has_idle_states = fdt_path_offset(tree, "/cpus/idle-states") >= 0;

    error |= remove_secure(tree);
    error |= remove_dangling_aliases(tree);
    error |= add_psci(tree);
    if (!has_idle_states) {
        error |= fdt_generate_phandle(tree, &phandle);
        error |= add_idle_states(tree, phandle);
    }
    error |= add_to_cores(tree, phandle);
    error |= reserve(tree, machine);
    return error != 0 ? "the device tree cannot be added to" : NULL;
}
