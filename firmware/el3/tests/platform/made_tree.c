/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define MOST_BYTES 32768
#define MOST_CELLS 64U

static char draft[MOST_BYTES];
static void *made;

void tree_begin(void)
{
    CHECK_EQUAL(fdt_create(draft, sizeof(draft)), 0);
    CHECK_EQUAL(fdt_finish_reservemap(draft), 0);
    tree_node("");
}

void tree_node(const char *name)
{
    CHECK_EQUAL(fdt_begin_node(draft, name), 0);
}

void tree_cells(const char *name, unsigned count, const uint32_t *values)
{
    fdt32_t cells[MOST_CELLS];

    CHECK(count <= MOST_CELLS);
    for (unsigned i = 0; i < count; i++) {
        cells[i] = cpu_to_fdt32(values[i]);
    }
    CHECK_EQUAL(fdt_property(draft, name, cells, (int)(count * sizeof(cells[0]))), 0);
}

void tree_cell(const char *name, uint32_t value)
{
    tree_cells(name, 1, &value);
}

void tree_text(const char *name, const char *text)
{
    CHECK_EQUAL(fdt_property(draft, name, text, (int)strlen(text) + 1), 0);
}

static void put_range(uint32_t cells[4], struct tree_range range)
{
    cells[0] = (uint32_t)(range.base >> 32);
    cells[1] = (uint32_t)range.base;
    cells[2] = (uint32_t)(range.bytes >> 32);
    cells[3] = (uint32_t)range.bytes;
}

void tree_range(uint64_t base, uint64_t bytes)
{
    uint32_t cells[4];

    put_range(cells, (struct tree_range){ base, bytes });
    tree_cells("reg", 4, cells);
}

void tree_end(void)
{
    CHECK_EQUAL(fdt_end_node(draft), 0);
}

void *tree_made(unsigned room)
{
    tree_end();
    CHECK_EQUAL(fdt_finish(draft), 0);
    free(made);
    made = calloc(1, fdt_totalsize(draft) + room);
    memcpy(made, draft, fdt_totalsize(draft));
    return made;
}

struct described described_usual(void)
{
    return (struct described){
        .cores = 2,
        .mpidr_cells = 1,
        .ranges = 1,
        .memory = { { 0x40000000, 0x40000000 } },
        .gic = "arm,gic-v3",
        .counter_hz = 62500000,
    };
}

static void add_memory(const struct described *machine)
{
    uint32_t cells[4 * MOST_MADE_RANGES];

    for (unsigned i = 0; i < machine->ranges; i++) {
        char name[32];

        put_range(&cells[4 * i], machine->memory[i]);
        if (!machine->in_one_node) {
            snprintf(name, sizeof(name), "memory@%u", i);
            tree_node(name);
            tree_text("device_type", "memory");
            tree_cells("reg", 4, &cells[4 * i]);
            tree_end();
        }
    }
    if (machine->in_one_node) {
        tree_node("memory");
        tree_cells("reg", 4 * machine->ranges, cells);
        tree_text("device_type", "memory");
        tree_end();
    }
}

static void add_secure_ram(const struct described *machine)
{
    tree_node("secram");
    tree_text("secure-status", "okay");
    tree_text("status", "disabled");
    tree_range(machine->secure_ram.base, machine->secure_ram.bytes);
    tree_text("device_type", "memory");
    tree_end();
}

static void add_core(const struct described *machine, unsigned core)
{
    uint32_t mpidr[2] = { 0, core / 16 << 8 | core % 16 };
    char name[32];

    snprintf(name, sizeof(name), "cpu@%u", core);
    tree_node(name);
    tree_cells("reg", machine->mpidr_cells, &mpidr[2 - machine->mpidr_cells]);
    tree_text("device_type", "cpu");
    tree_cell("phandle", 0x8000 + core);
    tree_end();
}

static void add_numbered(const char *kind, unsigned number)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%u", kind, number);
    tree_node(name);
}

static void add_map(const struct described *machine)
{
    unsigned core = 0;

    tree_node("cpu-map");
    for (unsigned cluster = 0; cluster < machine->clusters; cluster++) {
        unsigned in_socket = machine->a_socket_has ? cluster % machine->a_socket_has : cluster;

        if (in_socket == 0) {
            add_numbered("socket", machine->a_socket_has ? cluster / machine->a_socket_has : 0);
        }
        add_numbered("cluster", in_socket);
        for (unsigned i = 0; i < machine->cluster_cores[cluster]; i++, core++) {
            add_numbered("core", i);
            tree_cell("cpu", 0x8000 + core);
            tree_end();
        }
        tree_end();
        if (cluster + 1 == machine->clusters || in_socket + 1 == machine->a_socket_has) {
            tree_end();
        }
    }
    tree_end();
}

static void add_cpus(const struct described *machine)
{
    tree_node("cpus");
    tree_cell("#address-cells", machine->mpidr_cells);
    tree_cell("#size-cells", 0);
    if (machine->clusters != 0) {
        add_map(machine);
    }
    for (unsigned i = 0; i < machine->cores; i++) {
        add_core(machine, machine->from_the_last ? machine->cores - 1 - i : i);
    }
    tree_end();
}

static void add_gic(const struct described *machine)
{
    static const uint32_t ranges[] = { 0, 0x8000000, 0, 0x10000, 1, 0x80A0000, 0, 0xF60000 };

    tree_node("intc");
    tree_text("compatible", machine->gic);
    tree_cells("reg", 8, ranges);
    tree_end();
}

static void add_timer(const struct described *machine)
{
    tree_node("timer");
    tree_text("compatible", "arm,armv8-timer");
    if (machine->counter_hz != 0) {
        tree_cell("clock-frequency", machine->counter_hz);
    }
    tree_end();
}

void tree_begin_of(const struct described *machine)
{
    tree_begin();
    tree_cell("#address-cells", 2);
    tree_cell("#size-cells", 2);
    add_timer(machine);
    if (machine->gic != NULL) {
        add_gic(machine);
    }
    if (machine->cores != 0) {
        add_cpus(machine);
    }
    if (machine->secure_ram.bytes != 0) {
        add_secure_ram(machine);
    }
    add_memory(machine);
}

void *tree_of(const struct described *machine)
{
    tree_begin_of(machine);
    return tree_made(0);
}
