/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree that the board's firmware hands over: which memory there is, and how the normal world finds PSCI. */
#include <libfdt.h>

#include "raspi4.h"
#include "tree_psci.h"

#define MOST_CELLS 2

static int cells_of_root(const void *tree, const char *name, int missing)
{
    const fdt32_t *cells = fdt_getprop(tree, 0, name, NULL);

    return cells != NULL ? (int)fdt32_to_cpu(*cells) : missing;
}

static uint64_t number(const fdt32_t *cells, int count)
{
    uint64_t value = 0;

    while (count-- > 0) {
        value = value << 32 | fdt32_to_cpu(*cells++);
    }
    return value;
}

/* Less what the firmware itself lies in. */
static const char *add_range(struct raspi4_memory *memory, struct tree_range range)
{
    uint64_t end = range.base + range.bytes;

    if (end <= FIRMWARE_END || end < range.base) {
        return NULL;
    }
    if (memory->ranges == MAX_RANGES) {
        return "the device tree has more ranges of memory than the firmware keeps";
    }
    range.base = range.base < FIRMWARE_END ? FIRMWARE_END : range.base;
    memory->range[memory->ranges++] = (struct tree_range){ .base = range.base, .bytes = end - range.base };
    return NULL;
}

static const char *read_memory(const void *tree, struct raspi4_memory *memory)
{
    int address_cells = cells_of_root(tree, "#address-cells", 2);
    int size_cells = cells_of_root(tree, "#size-cells", 1);
    const char *error = NULL;
    int node;

    if (address_cells < 1 || address_cells > MOST_CELLS || size_cells < 1 || size_cells > MOST_CELLS) {
        return "the device tree gives addresses or sizes that are no one or two cells";
    }
    fdt_for_each_subnode(node, tree, 0) {
        int bytes;
        const fdt32_t *reg = fdt_getprop(tree, node, "reg", &bytes);

        if (reg == NULL || !tree_has_type(tree, node, "memory")) {
            continue;
        }
        for (int left = bytes / (int)sizeof(*reg); left >= address_cells + size_cells && error == NULL; left -= address_cells + size_cells) {
            error = add_range(memory, (struct tree_range){ number(reg, address_cells), number(reg + address_cells, size_cells) });
            reg += address_cells + size_cells;
        }
    }
    return error == NULL && memory->ranges == 0 ? "the device tree names no memory" : error;
}

const char *raspi4_use_tree(void *tree, struct raspi4_memory *memory, bool *has_tree)
{
    *memory = (struct raspi4_memory){ 0 };
    *has_tree = fdt_check_header(tree) == 0;
    if (!*has_tree) {
        return add_range(memory, (struct tree_range){ FIRMWARE_BASE, MEMORY_WITHOUT_TREE_END });
    }
    const char *error = read_memory(tree, memory);

    if (error != NULL) {
        return error;
    }
    /* No idle states: a parked core takes what a core in WFI takes, and Linux has that without a call. */
    if (tree_make_room(tree) != 0 || tree_add_psci(tree, NULL, 0) != 0 || fdt_add_mem_rsv(tree, FIRMWARE_BASE, FIRMWARE_END) != 0) {
        return "the device tree cannot be added to";
    }
    return NULL;
}
