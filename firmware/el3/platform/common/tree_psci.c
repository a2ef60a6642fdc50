/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree_psci.h"

#include <libfdt.h>

#include "tree_nodes.h"

#define ROOM_BYTES 0x2000

static const char psci_compatible[] = "arm,psci-1.0\0arm,psci-0.2";

/* QEMU's own tree has a megabyte of it; one that the user gives may have none. */
int tree_make_room(void *tree)
{
    uint32_t used = fdt_off_dt_strings(tree) + fdt_size_dt_strings(tree);
    int has_room = fdt_version(tree) >= 17 && fdt_off_dt_strings(tree) > fdt_off_dt_struct(tree) && fdt_totalsize(tree) - used >= ROOM_BYTES;

    return has_room ? 0 : fdt_open_into(tree, tree, (int)fdt_totalsize(tree) + ROOM_BYTES);
}

static int set_text(void *tree, int node, const char *name, const char *text)
{
    return fdt_setprop(tree, node, name, text, (int)strlen(text) + 1);
}

static int add_node(void *tree)
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

static int add_idle_state(void *tree, int group, const struct tree_idle_state *state, uint32_t phandle)
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
static int add_idle_states(void *tree, const struct tree_idle_state *states, unsigned count, uint32_t first_phandle)
{
    int cpus = fdt_path_offset(tree, "/cpus");
    int group = fdt_add_subnode(tree, cpus, "idle-states");
    int error = group < 0 ? group : set_text(tree, group, "entry-method", "psci");

    for (unsigned state = count; error == 0 && state-- > 0;) {
        error = add_idle_state(tree, group, &states[state], first_phandle + state);
    }
    return error;
}

/* PSCI takes the place of whatever started the cores before. */
static int add_to_core(void *tree, int node, const fdt32_t *states, unsigned count)
{
    int error = fdt_delprop(tree, node, "cpu-release-addr");

    error = error == -FDT_ERR_NOTFOUND ? 0 : error;
    error |= set_text(tree, node, "enable-method", "psci");
    if (count != 0) {
        error |= fdt_setprop(tree, node, "cpu-idle-states", states, (int)(count * sizeof(*states)));
    }
    return error;
}

static int add_to_cores(void *tree, unsigned count, uint32_t first_phandle)
{
    fdt32_t states[TREE_MOST_STATES];
    int node;

    for (unsigned state = 0; state < count; state++) {
        states[state] = cpu_to_fdt32(first_phandle + state);
    }
    fdt_for_each_subnode(node, tree, fdt_path_offset(tree, "/cpus")) {
        if (tree_is_core(tree, node) && add_to_core(tree, node, states, count) != 0) {
            return -1;
        }
    }
    return 0;
}

int tree_add_psci(void *tree, const struct tree_idle_state *states, unsigned count)
{
    unsigned added = fdt_path_offset(tree, "/cpus/idle-states") < 0 && count <= TREE_MOST_STATES ? count : 0;
    uint32_t phandle = 0;
    int error = add_node(tree);

    if (added != 0) {
        error |= fdt_generate_phandle(tree, &phandle);
        error |= add_idle_states(tree, states, added, phandle);
    }
    return error | add_to_cores(tree, added, phandle);
}
