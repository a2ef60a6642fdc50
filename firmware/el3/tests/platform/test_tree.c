/* SPDX-License-Identifier: BSD-3-Clause */
/* What is read in a device tree: of every machine that QEMU can be asked for, of others, and of none. */
#include <string.h>

#include "harness.h"
#include "made_tree.h"

#define MANY "the machine has more cores than the firmware keeps, which is 16"
#define UNNUMBERED "the cores of the device tree are not numbered one after the other"
#define NO_MEMORY "the device tree names no memory"
#define NO_GIC "the device tree names no GICv2 and no GICv3"

static struct tree_machine found;

static void read_well(const void *tree)
{
    const char *error = tree_read(tree, &found);

    if (error != NULL) {
        fail_msg("refused: %s", error);
    }
}

static void read_machine(const struct described *machine)
{
    read_well(tree_of(machine));
}

static void refuse(const void *tree, const char *why)
{
    const char *error = tree_read(tree, &found);

    CHECK(error != NULL);
    CHECK_TEXT(why, error);
}

static void refuse_machine(const struct described *machine, const char *why)
{
    refuse(tree_of(machine), why);
}

TEST(a_usual_machine_is_what_its_tree_says)
{
    struct described usual = described_usual();

    memset(&found, 0xFF, sizeof(found));
    read_machine(&usual);
    CHECK_EQUAL(found.cores, 2);
    CHECK_EQUAL(found.clusters, 1);
    CHECK_EQUAL(found.cluster_cores[0], 2);
    CHECK_EQUAL(found.ranges, 1);
    CHECK_EQUAL(found.memory[0].base, 0x40000000);
    CHECK_EQUAL(found.memory[0].bytes, 0x40000000);
    CHECK_EQUAL(found.secure_ram.base, 0);
    CHECK_EQUAL(found.secure_ram.bytes, 0);
    CHECK_EQUAL(found.gic, 3);
    CHECK_EQUAL(found.gicd, 0x8000000);
    CHECK_EQUAL(found.gicc_or_gicr, 0x1080A0000);
    CHECK_EQUAL(found.counter_hz, 62500000);
}

TEST(where_there_is_no_tree_none_is_read)
{
    struct described usual = described_usual();
    char *tree = tree_of(&usual);
    static const uint64_t nothing[8];

    refuse(nothing, "no device tree at the start of memory");
    tree[0] = 0;
    refuse(tree, "no device tree at the start of memory");
}

TEST(any_number_of_cores_up_to_sixteen_is_read_in_any_order_and_more_are_refused)
{
    struct described machine = described_usual();

    for (unsigned way = 0; way < 4; way++) {
        machine.from_the_last = way % 2 != 0;
        machine.mpidr_cells = way / 2 + 1;
        for (machine.cores = 1; machine.cores <= 16; machine.cores++) {
            read_machine(&machine);
            CHECK_EQUAL(found.cores, machine.cores);
            CHECK_EQUAL(found.clusters, 1);
            CHECK_EQUAL(found.cluster_cores[0], machine.cores);
        }
        machine.cores = 17;
        refuse_machine(&machine, MANY);
        machine.cores = 33;
        refuse_machine(&machine, MANY);
    }
    machine.cores = 0;
    refuse_machine(&machine, UNNUMBERED);
}

static void begin_without_cores(void)
{
    struct described machine = described_usual();

    machine.cores = 0;
    tree_begin_of(&machine);
    tree_node("cpus");
}

static void add_cpu(const char *name, const char *type, uint32_t mpidr)
{
    tree_node(name);
    tree_text("device_type", type);
    tree_cell("reg", mpidr);
    tree_end();
}

static const void *tree_of_mpidrs(unsigned count, const uint32_t *mpidrs)
{
    static const char *const names[] = { "a", "b", "c", "d" };

    begin_without_cores();
    for (unsigned i = 0; i < count; i++) {
        add_cpu(names[i], "cpu", mpidrs[i]);
    }
    tree_end();
    return tree_made(0);
}

TEST(a_gap_in_the_cores_numbers_is_refused_and_so_is_one_number_twice)
{
    read_well(tree_of_mpidrs(3, (const uint32_t[]){ 2, 0, 1 }));
    refuse(tree_of_mpidrs(1, (const uint32_t[]){ 1 }), UNNUMBERED);
    refuse(tree_of_mpidrs(3, (const uint32_t[]){ 0, 1, 3 }), UNNUMBERED);
    refuse(tree_of_mpidrs(3, (const uint32_t[]){ 0, 1, 1 }), UNNUMBERED);
    refuse(tree_of_mpidrs(2, (const uint32_t[]){ 1, 1 }), UNNUMBERED);
    refuse(tree_of_mpidrs(2, (const uint32_t[]){ 0, 0x100 }), MANY);
    refuse(tree_of_mpidrs(2, (const uint32_t[]){ 0, 16 }), MANY);
    refuse(tree_of_mpidrs(2, (const uint32_t[]){ 0, 0xFF }), MANY);
}

TEST(bits_of_a_cores_number_that_are_no_affinity_below_aff2_do_not_count)
{
    read_well(tree_of_mpidrs(2, (const uint32_t[]){ 0x81000000, 0x81000001 }));
    CHECK_EQUAL(found.cores, 2);
}

TEST(what_lies_beside_the_cores_is_no_core)
{
    begin_without_cores();
    add_cpu("cpu@0", "cpu", 0);
    add_cpu("shorter", "cp", 1);
    add_cpu("longer", "cpus", 1);
    add_cpu("other", "cpx", 1);
    tree_node("without-type");
    tree_cell("reg", 1);
    tree_end();
    tree_node("without-number");
    tree_text("device_type", "cpu");
    tree_end();
    tree_end();
    read_well(tree_made(0));
    CHECK_EQUAL(found.cores, 1);
}

TEST(a_core_whose_number_has_no_cell_is_refused)
{
    begin_without_cores();
    add_cpu("cpu@0", "cpu", 0);
    tree_node("empty");
    tree_cells("reg", 0, NULL);
    tree_text("device_type", "cpu");
    tree_end();
    tree_end();
    refuse(tree_made(0), UNNUMBERED);
}

TEST(ranges_of_memory_are_kept_by_address_and_joined_where_they_touch)
{
    struct described machine = described_usual();

    machine.ranges = 5;
    memcpy(machine.memory,
           (struct tree_range[]){
               { 0x900000000, 0x1000 },
               { 0x60000000, 0x10000000 },
               { 0x40000000, 0x10000000 },
               { 0x50000000, 0x10000000 },
               { 0x80000000, 0x780000000 },
           },
           5 * sizeof(machine.memory[0]));
    for (unsigned way = 0; way < 2; way++) {
        machine.in_one_node = way != 0;
        read_machine(&machine);
        CHECK_EQUAL(found.ranges, 3);
        CHECK_EQUAL(found.memory[0].base, 0x40000000);
        CHECK_EQUAL(found.memory[0].bytes, 0x30000000);
        CHECK_EQUAL(found.memory[1].base, 0x80000000);
        CHECK_EQUAL(found.memory[1].bytes, 0x780000000);
        CHECK_EQUAL(found.memory[2].base, 0x900000000);
        CHECK_EQUAL(found.memory[2].bytes, 0x1000);
    }
}

TEST(eight_ranges_of_memory_are_kept_and_a_ninth_is_refused)
{
    struct described machine = described_usual();

    for (unsigned i = 0; i < 9; i++) {
        machine.memory[i] = (struct tree_range){ 0x40000000 + 0x2000ULL * i, 0x1000 };
    }
    for (machine.ranges = 1; machine.ranges <= 8; machine.ranges++) {
        read_machine(&machine);
        CHECK_EQUAL(found.ranges, machine.ranges);
        for (unsigned i = 0; i < machine.ranges; i++) {
            CHECK_EQUAL(found.memory[i].base, machine.memory[i].base);
            CHECK_EQUAL(found.memory[i].bytes, 0x1000);
        }
    }
    machine.ranges = 9;
    refuse_machine(&machine, "the device tree has more ranges of memory than the firmware keeps");
    machine.memory[3].bytes = 0;
    read_machine(&machine);
    CHECK_EQUAL(found.ranges, 8);
}

TEST(a_machine_without_memory_is_refused)
{
    struct described machine = described_usual();

    machine.memory[0].bytes = 0;
    refuse_machine(&machine, NO_MEMORY);
    machine.ranges = 0;
    refuse_machine(&machine, NO_MEMORY);
    machine.secure_ram = (struct tree_range){ 0xE000000, 0x1000000 };
    refuse_machine(&machine, NO_MEMORY);
}

TEST(memory_that_the_normal_world_cannot_have_is_the_secure_worlds)
{
    struct described machine = described_usual();

    machine.secure_ram = (struct tree_range){ 0xE000000, 0x1000000 };
    read_machine(&machine);
    CHECK_EQUAL(found.secure_ram.base, 0xE000000);
    CHECK_EQUAL(found.secure_ram.bytes, 0x1000000);
    CHECK_EQUAL(found.ranges, 1);
    CHECK_EQUAL(found.memory[0].base, 0x40000000);
}

static void add_other(const char *name, const char *type, unsigned cells, const char *status)
{
    static const uint32_t range[] = { 0, 0x90000000, 0, 0x1000, 0, 0xA0000000, 0, 0x1000 };

    tree_node(name);
    if (type != NULL) {
        tree_text("device_type", type);
    }
    if (status != NULL) {
        tree_text("status", status);
    }
    if (cells != 0) {
        tree_cells("reg", cells, range);
    }
    tree_end();
}

TEST(only_whole_ranges_of_what_says_that_it_is_memory_count)
{
    struct described usual = described_usual();

    tree_begin_of(&usual);
    add_other("untyped", NULL, 4, NULL);
    add_other("longer", "memory2", 4, NULL);
    add_other("shorter", "memor", 4, NULL);
    add_other("device", "serial", 4, NULL);
    add_other("nowhere", "memory", 0, NULL);
    add_other("cut", "memory", 3, NULL);
    read_well(tree_made(0));
    CHECK_EQUAL(found.ranges, 1);

    tree_begin_of(&usual);
    add_other("cut", "memory", 7, "okay");
    read_well(tree_made(0));
    CHECK_EQUAL(found.ranges, 2);
    CHECK_EQUAL(found.memory[1].base, 0x90000000);
}

static void check_clusters(const struct described *machine, unsigned count, const unsigned *cores)
{
    read_machine(machine);
    CHECK_EQUAL(found.clusters, count);
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(found.cluster_cores[i], cores[i]);
    }
}

TEST(clusters_are_those_of_the_map_across_sockets_whatever_their_sizes)
{
    struct described machine = described_usual();

    machine.cores = 6;
    machine.clusters = 3;
    memcpy(machine.cluster_cores, (const unsigned[]){ 1, 3, 2 }, 3 * sizeof(unsigned));
    for (machine.a_socket_has = 0; machine.a_socket_has <= 3; machine.a_socket_has++) {
        check_clusters(&machine, 3, (const unsigned[]){ 1, 3, 2 });
    }
}

TEST(sixteen_clusters_or_sockets_of_one_core_are_read)
{
    static const unsigned ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    struct described machine = described_usual();

    machine.cores = 16;
    machine.clusters = 16;
    memcpy(machine.cluster_cores, ones, sizeof(ones));
    check_clusters(&machine, 16, ones);
    machine.a_socket_has = 1;
    check_clusters(&machine, 16, ones);
}

TEST(a_map_that_does_not_name_every_core_is_no_map)
{
    struct described machine = described_usual();

    machine.cores = 4;
    machine.clusters = 2;
    memcpy(machine.cluster_cores, (const unsigned[]){ 2, 1 }, 2 * sizeof(unsigned));
    check_clusters(&machine, 1, (const unsigned[]){ 4 });
    machine.cluster_cores[1] = 3;
    check_clusters(&machine, 1, (const unsigned[]){ 4 });
    machine.cluster_cores[1] = 2;
    check_clusters(&machine, 2, (const unsigned[]){ 2, 2 });
}

TEST(a_cluster_without_a_core_is_no_cluster)
{
    struct described machine = described_usual();

    machine.cores = 4;
    machine.clusters = 3;
    memcpy(machine.cluster_cores, (const unsigned[]){ 3, 0, 1 }, 3 * sizeof(unsigned));
    check_clusters(&machine, 2, (const unsigned[]){ 3, 1 });
}

TEST(a_map_of_more_clusters_than_there_can_be_cores_is_no_map)
{
    struct described machine = described_usual();

    machine.cores = 16;
    machine.clusters = 16;
    machine.cluster_cores[0] = 256 + 1; /* as a byte it would be one */
    for (unsigned i = 1; i < 16; i++) {
        machine.cluster_cores[i] = 1;
    }
    check_clusters(&machine, 1, (const unsigned[]){ 16 });
}

TEST(the_second_version_of_the_interrupt_controller_is_known_too_and_no_other)
{
    struct described machine = described_usual();

    machine.gic = "arm,cortex-a15-gic";
    read_machine(&machine);
    CHECK_EQUAL(found.gic, 2);
    CHECK_EQUAL(found.gicd, 0x8000000);
    CHECK_EQUAL(found.gicc_or_gicr, 0x1080A0000);
    machine.gic = "arm,gic-v4";
    refuse_machine(&machine, NO_GIC);
    machine.gic = NULL;
    refuse_machine(&machine, NO_GIC);
}

static void add_counts(uint32_t sockets, uint32_t clusters, uint32_t cores, uint32_t threads)
{
    tree_node("topology");
    tree_cell("sockets", sockets);
    tree_cell("clusters", clusters);
    tree_cell("cores", cores);
    tree_cell("threads", threads);
    tree_end();
}

static void read_counted(uint32_t sockets, uint32_t clusters, uint32_t cores, uint32_t threads)
{
    static const uint32_t ranges[] = { 0, 0x40060000, 0, 0x10000, 0, 0x40080000, 0, 0x4000000 };
    static const char *const names[] = { "cpu@0", "cpu@1", "cpu@2", "cpu@3" };

    tree_begin();
    tree_node("memory");
    tree_text("device_type", "memory");
    tree_range(0x40000000, 0x40000000);
    tree_end();
    tree_node("intc");
    tree_cells("reg", 8, ranges);
    tree_end();
    tree_node("cpus");
    add_counts(sockets, clusters, cores, threads);
    for (unsigned core = 0; core < 4; core++) {
        tree_node(names[core]);
        tree_cells("reg", 2, (uint32_t[]){ 0, core });
        tree_end();
    }
    tree_end();
    read_well(tree_made(0));
    CHECK_EQUAL(found.cores, 4);
}

TEST(what_sbsa_ref_says_without_types_and_names_is_understood)
{
    read_counted(1, 2, 1, 2);
    CHECK_EQUAL(found.clusters, 2);
    CHECK_EQUAL(found.cluster_cores[0], 2);
    CHECK_EQUAL(found.cluster_cores[1], 2);
    CHECK_EQUAL(found.gic, 3);
    CHECK_EQUAL(found.gicd, 0x40060000);
    CHECK_EQUAL(found.gicc_or_gicr, 0x40080000);
}

TEST(counts_that_are_not_those_of_the_cores_are_one_cluster)
{
    static const uint32_t counts[][4] = {
        { 1, 2, 3, 1 },
        { 0, 2, 2, 1 },
        { 1, 17, 1, 1 },
        { 1, 1, 17, 1 },
        { 0x10000, 0x10000, 4, 1 },
        { 2, 0x80000000, 2, 2 },
        { 1, 4, 0, 1 },
    };

    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        read_counted(counts[i][0], counts[i][1], counts[i][2], counts[i][3]);
        CHECK_EQUAL(found.clusters, 1);
        CHECK_EQUAL(found.cluster_cores[0], 4);
    }
}

TEST(an_interrupt_controller_without_both_its_ranges_is_none)
{
    static const uint32_t cells[8] = { 0, 0x8000000, 0, 0x10000, 0, 0x80A0000, 0, 0x1000 };
    struct described machine = described_usual();

    machine.gic = NULL;
    for (unsigned count = 0; count <= 8; count++) {
        tree_begin_of(&machine);
        tree_node("intc");
        tree_text("compatible", "arm,gic-v3");
        tree_cells("reg", count, cells);
        tree_end();
        if (count < 8) {
            refuse(tree_made(0), NO_GIC);
        } else {
            read_well(tree_made(0));
        }
    }
    tree_begin_of(&machine);
    tree_node("intc");
    tree_text("compatible", "arm,gic-v3");
    tree_end();
    refuse(tree_made(0), NO_GIC);
}

/* A GICv2 with a hypervisor's part, or a GICv3 whose redistributors lie in several places. */
TEST(an_interrupt_controller_may_have_more_ranges_than_two)
{
    static const uint32_t cells[16] = { 0, 0x8000000, 0, 0x10000, 0, 0x80A0000, 0, 0x1000, 0, 0x8030000, 0, 0x1000, 0, 0x8040000, 0, 0x1000 };
    struct described machine = described_usual();

    machine.gic = NULL;
    for (unsigned count = 12; count <= 16; count += 4) {
        tree_begin_of(&machine);
        tree_node("intc");
        tree_text("compatible", "arm,cortex-a15-gic");
        tree_cells("reg", count, cells);
        tree_end();
        read_well(tree_made(0));
        CHECK_EQUAL(found.gicd, 0x8000000);
        CHECK_EQUAL(found.gicc_or_gicr, 0x80A0000);
    }
}

TEST(an_interrupt_controller_may_be_the_root_itself)
{
    static const uint32_t cells[8] = { 0, 0x8000000, 0, 0x10000, 0, 0x80A0000, 0, 0x1000 };

    tree_begin();
    tree_text("compatible", "arm,gic-v3");
    tree_cells("reg", 8, cells);
    tree_node("memory");
    tree_range(0x40000000, 0x1000);
    tree_text("device_type", "memory");
    tree_end();
    tree_node("cpus");
    add_cpu("cpu@0", "cpu", 0);
    tree_end();
    read_well(tree_made(0));
    CHECK_EQUAL(found.gicc_or_gicr, 0x80A0000);
}

TEST(a_tree_may_be_silent_about_the_counter)
{
    struct described machine = described_usual();

    machine.counter_hz = 0;
    read_machine(&machine);
    CHECK_EQUAL(found.counter_hz, 0);
    machine.counter_hz = 1000000000;
    read_machine(&machine);
    CHECK_EQUAL(found.counter_hz, 1000000000);
}
