/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <libfdt.h>

#include "core_numbers.h"

#define CELLS_OF_RANGE 4 /* two of address, two of size: what QEMU's root says */
#define AFF1(mpidr) ((mpidr) >> 8 & 0xFFU)

static uint64_t cell64(const fdt32_t *cells)
{
    return (uint64_t)fdt32_to_cpu(cells[0]) << 32 | fdt32_to_cpu(cells[1]);
}

static struct tree_range range_at(const fdt32_t *cells)
{
    return (struct tree_range){ .base = cell64(cells), .bytes = cell64(cells + 2) };
}

static bool is_disabled(const void *tree, int node)
{
    const char *status = fdt_getprop(tree, node, "status", NULL);

    return status != NULL && status[0] != 'o';
}

/* Kept in order, and joined where one ends at another's beginning: a range may lie across the two. */
static const char *add_memory(struct tree_machine *machine, struct tree_range range)
{
    unsigned at = machine->ranges;

    if (range.bytes == 0) {
        return NULL;
    }
    if (at == MAX_RANGES) {
        return "the device tree has more ranges of memory than the firmware keeps";
    }
    for (; at > 0 && machine->memory[at - 1].base > range.base; at--) {
        machine->memory[at] = machine->memory[at - 1];
    }
    machine->memory[at] = range;
    machine->ranges++;
    return NULL;
}

static void join_memory(struct tree_machine *machine)
{
    unsigned kept = 0;

    for (unsigned next = 1; next < machine->ranges; next++) {
        struct tree_range *last = &machine->memory[kept];

        if (last->base + last->bytes == machine->memory[next].base) {
            last->bytes += machine->memory[next].bytes;
        } else {
            machine->memory[++kept] = machine->memory[next];
        }
    }
    machine->ranges = machine->ranges == 0 ? 0 : kept + 1;
}

static const char *read_memory(const void *tree, struct tree_machine *machine)
{
    int node;

    fdt_for_each_subnode(node, tree, 0) {
        int bytes;
        const fdt32_t *reg = fdt_getprop(tree, node, "reg", &bytes);

        if (reg == NULL || !tree_has_type(tree, node, "memory")) {
            continue;
        }
        for (int cell = 0; (unsigned)(cell + CELLS_OF_RANGE) * sizeof(*reg) <= (unsigned)bytes; cell += CELLS_OF_RANGE) {
            const char *error = NULL;

            if (is_disabled(tree, node)) {
                machine->secure_ram = range_at(reg + cell);
            } else {
                error = add_memory(machine, range_at(reg + cell));
            }
            if (error != NULL) {
                return error;
            }
        }
    }
    join_memory(machine);
    return machine->ranges == 0 ? "the device tree names no memory" : NULL;
}

#define UNNUMBERED "the cores of the device tree are not numbered one after the other"

/* The cores are numbered without a gap: their order in the tree does not matter. */
static const char *read_cores(const void *tree, struct tree_machine *machine)
{
    int cpus = fdt_path_offset(tree, "/cpus");
    uint64_t found = 0;
    int node;

    fdt_for_each_subnode(node, tree, cpus) {
        int bytes;
        const fdt32_t *reg = fdt_getprop(tree, node, "reg", &bytes);

        if (reg == NULL || !tree_is_core(tree, node)) {
            continue;
        }
        if ((unsigned)bytes < sizeof(*reg)) {
            return UNNUMBERED;
        }
        uint64_t mpidr = fdt32_to_cpu(reg[bytes / (int)sizeof(*reg) - 1]);
        uint64_t index = (AFF1(mpidr) << AFF1_SHIFT) + (mpidr & 0xFFU);

        if (index >= MAX_CORES) {
            return "the machine has more cores than the firmware keeps, which is 16";
        }
        found |= 1ULL << index;
        machine->cores++;
    }
    if (machine->cores == 0 || found != (1ULL << machine->cores) - 1) {
        return UNNUMBERED;
    }
    return NULL;
}

static int child(const void *tree, int node, const char *kind, unsigned number)
{
    char name[] = "cluster00";
    unsigned at = (unsigned)strlen(kind);

    memcpy(name, kind, at);
    if (number >= 10) {
        name[at++] = (char)('0' + number / 10);
    }
    name[at++] = (char)('0' + number % 10);
    name[at] = '\0';
    return fdt_subnode_offset(tree, node, name);
}

static unsigned children(const void *tree, int node)
{
    unsigned count = 0;
    int one;

    fdt_for_each_subnode(one, tree, node) {
        count++;
    }
    return count;
}

static unsigned count_of(const void *tree, int node, const char *name)
{
    int bytes;
    const fdt32_t *count = fdt_getprop(tree, node, name, &bytes);

    return count != NULL && (unsigned)bytes == sizeof(*count) ? fdt32_to_cpu(*count) : 0;
}

/* /cpus/topology, which is sbsa-ref's own: how many of each there are. Returns the cores that it places. */
static unsigned read_counts(const void *tree, struct tree_machine *machine)
{
    int node = fdt_path_offset(tree, "/cpus/topology");
    uint64_t clusters = (uint64_t)count_of(tree, node, "sockets") * count_of(tree, node, "clusters");
    uint64_t cores = (uint64_t)count_of(tree, node, "cores") * count_of(tree, node, "threads");

    if (node < 0 || clusters > MAX_CLUSTERS || cores > MAX_CORES) {
        return 0;
    }
    for (unsigned cluster = 0; cluster < clusters; cluster++) {
        machine->cluster_cores[machine->clusters++] = (uint8_t)cores;
    }
    return (unsigned)(clusters * cores);
}

/* /cpus/cpu-map: sockets of clusters of cores; one cluster where there is no map, or one that does not name every core. */
static void read_clusters(const void *tree, struct tree_machine *machine)
{
    int map = fdt_path_offset(tree, "/cpus/cpu-map");
    unsigned placed = map < 0 ? read_counts(tree, machine) : 0;

    for (unsigned socket = 0; map >= 0 && socket < MAX_CLUSTERS; socket++) {
        int node = child(tree, map, "socket", socket);

        for (unsigned cluster = 0; node >= 0 && cluster < MAX_CLUSTERS; cluster++) {
            int in = child(tree, node, "cluster", cluster);
            unsigned cores = in >= 0 ? children(tree, in) : 0;

            if (cores != 0 && machine->clusters < MAX_CLUSTERS) {
                machine->cluster_cores[machine->clusters++] = (uint8_t)cores;
                placed += cores;
            }
        }
    }
    if (placed != machine->cores) {
        machine->clusters = 1;
        machine->cluster_cores[0] = (uint8_t)machine->cores;
    }
}

/* sbsa-ref's, which is a GICv3, has no `compatible`. */
static int unnamed_gic(const void *tree)
{
    int node = fdt_path_offset(tree, "/intc");

    return node >= 0 && fdt_getprop(tree, node, "compatible", NULL) == NULL ? node : -1;
}

static const char *read_gic(const void *tree, struct tree_machine *machine)
{
    int v3 = fdt_node_offset_by_compatible(tree, -1, "arm,gic-v3");
    int v2 = fdt_node_offset_by_compatible(tree, -1, "arm,cortex-a15-gic");
    int node = v3 >= 0 ? v3 : v2 >= 0 ? v2 : unnamed_gic(tree);
    int bytes = 0;
    const fdt32_t *reg = node >= 0 ? fdt_getprop(tree, node, "reg", &bytes) : NULL;

    if (reg == NULL || (unsigned)bytes < 2 * CELLS_OF_RANGE * sizeof(*reg)) {
        return "the device tree names no GICv2 and no GICv3";
    }
    machine->gic = node == v2 ? 2 : 3;
    machine->gicd = range_at(reg).base;
    machine->gicc_or_gicr = range_at(reg + CELLS_OF_RANGE).base;
    return NULL;
}

static void read_counter(const void *tree, struct tree_machine *machine)
{
    int node = fdt_node_offset_by_compatible(tree, -1, "arm,armv8-timer");
    const fdt32_t *hz = node >= 0 ? fdt_getprop(tree, node, "clock-frequency", NULL) : NULL;

    machine->counter_hz = hz != NULL ? fdt32_to_cpu(*hz) : 0;
}

const char *tree_read(const void *tree, struct tree_machine *machine)
{
    const char *error;

    *machine = (struct tree_machine){ 0 };
    /* Without the MMU a load is aligned. */
    if (fdt_check_header(tree) != 0 || fdt_off_dt_struct(tree) % sizeof(uint32_t) != 0 || fdt_off_mem_rsvmap(tree) % sizeof(uint64_t) != 0) {
        return "no device tree at the start of memory";
    }
    error = read_memory(tree, machine);
    if (error == NULL) {
        error = read_cores(tree, machine);
    }
    if (error == NULL) {
        error = read_gic(tree, machine);
    }
    read_clusters(tree, machine);
    read_counter(tree, machine);
    return error;
}
