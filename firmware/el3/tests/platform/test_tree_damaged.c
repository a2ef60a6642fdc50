/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated machines, whole and damaged: whatever the tree, nothing behind it is read, and what is found is a machine. */
#include <string.h>

#include "harness.h"
#include "made_tree.h"

#define MACHINES 300U
#define DAMAGES 20U /* of each */
#define ROOM 0x2000U

static struct tree_machine found;

static unsigned any(unsigned below)
{
    return (unsigned)(harness_random() % below);
}

/* No range touches another: one that is found is one that was described. */
static struct described any_machine(void)
{
    struct described machine = described_usual();

    machine.cores = 0;
    machine.clusters = any(5);
    for (unsigned i = 0; i < machine.clusters; i++) {
        machine.cluster_cores[i] = 1 + any(4);
        machine.cores += machine.cluster_cores[i];
    }
    machine.cores = machine.clusters == 0 ? 1 + any(16) : machine.cores;
    machine.a_socket_has = any(3);
    machine.from_the_last = any(2) != 0;
    machine.mpidr_cells = 1 + any(2);
    machine.ranges = 1 + any(8);
    for (unsigned i = 0; i < machine.ranges; i++) {
        machine.memory[i] = (struct tree_range){ 0x40000000 + 0x100000000ULL * i, 0x1000 + 0x1000ULL * any(1000) };
    }
    machine.in_one_node = any(2) != 0;
    machine.gic = any(2) != 0 ? "arm,gic-v3" : "arm,cortex-a15-gic";
    machine.counter_hz = any(2) * 24000000;
    machine.secure_ram.bytes = any(2) * 0x1000000;
    return machine;
}

TEST(every_generated_machine_is_found_as_it_was_described)
{
    for (unsigned n = 0; n < MACHINES; n++) {
        struct described machine = any_machine();
        unsigned clusters = machine.clusters == 0 ? 1 : machine.clusters;

        CHECK(tree_read(tree_of(&machine), &found) == NULL);
        CHECK_EQUAL(found.cores, machine.cores);
        CHECK_EQUAL(found.clusters, clusters);
        for (unsigned i = 0; i < clusters; i++) {
            CHECK_EQUAL(found.cluster_cores[i], machine.clusters == 0 ? machine.cores : machine.cluster_cores[i]);
        }
        CHECK_EQUAL(found.ranges, machine.ranges);
        assert_memory_equal(found.memory, machine.memory, machine.ranges * sizeof(machine.memory[0]));
        CHECK_EQUAL(found.secure_ram.bytes, machine.secure_ram.bytes);
        CHECK_EQUAL(found.gic, strcmp(machine.gic, "arm,gic-v3") == 0 ? 3 : 2);
        CHECK_EQUAL(found.counter_hz, machine.counter_hz);
    }
}

static void check_is_a_machine(void)
{
    unsigned placed = 0;

    CHECK(found.cores >= 1 && found.cores <= MAX_CORES);
    CHECK(found.clusters >= 1 && found.clusters <= found.cores);
    for (unsigned i = 0; i < found.clusters; i++) {
        CHECK(found.cluster_cores[i] >= 1);
        placed += found.cluster_cores[i];
    }
    CHECK_EQUAL(placed, found.cores);
    CHECK(found.ranges >= 1 && found.ranges <= MAX_RANGES);
    for (unsigned i = 0; i < found.ranges; i++) {
        CHECK(found.memory[i].bytes != 0);
        CHECK(i == 0 || found.memory[i - 1].base <= found.memory[i].base);
    }
    CHECK(found.gic == 2 || found.gic == 3);
}

/* One cell, byte or bit of the structure or the strings becomes another. What the header says of the tree's end stays true. */
static void damage(uint8_t *tree)
{
    uint32_t from = fdt_off_dt_struct(tree);
    uint32_t at = from + any(fdt_totalsize(tree) - from);
    static const uint32_t cells[] = { 0, 1, 2, 3, 4, 9, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF };

    switch (any(3)) {
    case 0:
        tree[at] = (uint8_t)any(256);
        break;
    case 1:
        tree[at] = (uint8_t)(tree[at] ^ 1U << any(8));
        break;
    default:
        at = (at & ~3U) + 4 <= fdt_totalsize(tree) ? at & ~3U : from;
        *(fdt32_t *)(void *)(tree + at) = cpu_to_fdt32(cells[any(sizeof(cells) / sizeof(cells[0]))]);
    }
}

static void read_and_add(void *tree)
{
    if (tree_read(tree, &found) == NULL) {
        check_is_a_machine();
        (void)tree_add_firmware(tree, &found);
    }
}

TEST(a_damaged_tree_is_refused_or_read_as_some_machine_and_nothing_behind_it_is_touched)
{
    for (unsigned n = 0; n < MACHINES; n++) {
        struct described machine = any_machine();

        for (unsigned each = 0; each < DAMAGES; each++) {
            tree_begin_of(&machine);
            void *tree = tree_made(ROOM);

            for (unsigned times = 1 + any(3); times != 0; times--) {
                damage(tree);
            }
            read_and_add(tree);
        }
    }
}

TEST(a_tree_that_ends_before_its_parts_do_is_refused)
{
    struct described machine = described_usual();
    struct fdt_header *tree = tree_of(&machine);
    uint32_t whole = fdt_totalsize(tree);

    for (uint32_t bytes = 0; bytes < whole; bytes++) {
        fdt_set_totalsize(tree, bytes);
        CHECK(tree_read(tree, &found) != NULL);
    }
}

TEST(a_tree_whose_parts_lie_anywhere_is_refused_or_read)
{
    static const unsigned words[] = { 2, 3, 4, 5, 6, 7, 8, 9 }; /* of the header, but for the magic and the size of all */
    struct described machine = described_usual();

    for (unsigned n = 0; n < MACHINES; n++) {
        uint32_t *tree = tree_of(&machine);
        uint32_t limit = fdt_totalsize(tree) + 64;

        tree[words[any(8)]] = cpu_to_fdt32(any(2) != 0 ? any(limit) : (uint32_t)harness_random());
        if (tree_read(tree, &found) == NULL) {
            check_is_a_machine();
        }
    }
}

TEST(a_tree_whose_structure_is_cut_is_refused_or_read)
{
    struct described machine = described_usual();

    for (uint32_t left = 0; left < 400; left += 4) {
        struct fdt_header *tree = tree_of(&machine);

        fdt_set_size_dt_struct(tree, left);
        if (tree_read(tree, &found) == NULL) {
            check_is_a_machine();
        }
    }
}
