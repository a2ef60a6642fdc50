/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory as the board's tree gives it, in cells of one or two, and what is added to the tree. */
#include "raspi4.h"

#include <string.h>

#include "harness.h"
#include "made_tree.h"

#define ROOM 0x4000U
#define NO_MEMORY "the device tree names no memory"
#define OTHER_CELLS "the device tree gives addresses or sizes that are no one or two cells"

static struct raspi4_memory found;
static bool has_tree;

/* Cells that are 0 are left out. */
static void begin(uint32_t address_cells, uint32_t size_cells)
{
    tree_begin();
    if (address_cells != 0) {
        tree_cell("#address-cells", address_cells);
    }
    if (size_cells != 0) {
        tree_cell("#size-cells", size_cells);
    }
    tree_node("cpus");
    tree_node("cpu@0");
    tree_text("device_type", "cpu");
    tree_text("enable-method", "spin-table");
    tree_end();
    tree_end();
}

static void add_memory(unsigned count, const uint32_t *cells)
{
    tree_node("memory");
    tree_text("device_type", "memory");
    tree_cells("reg", count, cells);
    tree_end();
}

static void *tree_with(uint32_t address_cells, uint32_t size_cells, unsigned count, const uint32_t *cells)
{
    begin(address_cells, size_cells);
    add_memory(count, cells);
    return tree_made(ROOM);
}

static void use(void *tree)
{
    const char *error = raspi4_use_tree(tree, &found, &has_tree);

    if (error != NULL) {
        fail_msg("refused: %s", error);
    }
    CHECK(has_tree);
}

static void refuse(void *tree, const char *why)
{
    const char *error = raspi4_use_tree(tree, &found, &has_tree);

    CHECK(error != NULL);
    CHECK_TEXT(why, error);
}

static void check_range(unsigned i, uint64_t base, uint64_t bytes)
{
    CHECK(i < found.ranges);
    CHECK_EQUAL(found.range[i].base, base);
    CHECK_EQUAL(found.range[i].bytes, bytes);
}

TEST(addresses_and_sizes_have_one_cell_or_two_and_two_and_one_where_nothing_is_said)
{
    use(tree_with(0, 0, 3, (const uint32_t[]){ 1, 0x100000, 0x2000 }));
    CHECK_EQUAL(found.ranges, 1);
    check_range(0, 0x100100000, 0x2000);
    use(tree_with(1, 1, 2, (const uint32_t[]){ 0x100000, 0x2000 }));
    check_range(0, 0x100000, 0x2000);
    use(tree_with(2, 2, 4, (const uint32_t[]){ 1, 0x100000, 2, 0x2000 }));
    check_range(0, 0x100100000, 0x200002000);
    use(tree_with(1, 2, 3, (const uint32_t[]){ 0x100000, 2, 0x2000 }));
    check_range(0, 0x100000, 0x200002000);
    refuse(tree_with(3, 1, 4, (const uint32_t[]){ 0, 0, 0x100000, 0x2000 }), OTHER_CELLS);
    refuse(tree_with(2, 3, 5, (const uint32_t[]){ 0, 0x100000, 0, 0, 0x2000 }), OTHER_CELLS);
    begin(0, 1);
    refuse(tree_made(ROOM), NO_MEMORY);
}

TEST(no_cells_at_all_are_refused)
{
    static const char *const names[] = { "#address-cells", "#size-cells" };

    for (unsigned i = 0; i < 2; i++) {
        tree_begin();
        tree_cell(names[i], 0);
        refuse(tree_made(ROOM), OTHER_CELLS);
        tree_begin();
        tree_cell(names[i], UINT32_MAX);
        refuse(tree_made(ROOM), OTHER_CELLS);
    }
}

TEST(what_the_firmware_lies_in_is_nobody_elses)
{
    use(tree_with(1, 1, 4, (const uint32_t[]){ 0, FIRMWARE_END + 1, 0, FIRMWARE_END }));
    CHECK_EQUAL(found.ranges, 1);
    check_range(0, FIRMWARE_END, 1);
    use(tree_with(1, 1, 2, (const uint32_t[]){ FIRMWARE_END - 0x1000, 0x3000 }));
    check_range(0, FIRMWARE_END, 0x2000);
    use(tree_with(1, 1, 2, (const uint32_t[]){ FIRMWARE_END, 0x3000 }));
    check_range(0, FIRMWARE_END, 0x3000);
    refuse(tree_with(1, 1, 2, (const uint32_t[]){ 0, FIRMWARE_END }), NO_MEMORY);
}

TEST(a_range_that_wraps_or_is_cut_off_or_empty_is_none)
{
    refuse(tree_with(2, 2, 4, (const uint32_t[]){ UINT32_MAX, UINT32_MAX, 0, 0x200000 }), NO_MEMORY);
    refuse(tree_with(1, 1, 1, (const uint32_t[]){ 0x100000 }), NO_MEMORY);
    refuse(tree_with(1, 1, 0, NULL), NO_MEMORY);
    use(tree_with(1, 1, 5, (const uint32_t[]){ 0x100000, 0x1000, 0x200000, 0x2000, 0x300000 }));
    CHECK_EQUAL(found.ranges, 2);
    check_range(1, 0x200000, 0x2000);
}

TEST(a_node_of_another_type_or_without_ranges_names_no_memory)
{
    begin(1, 1);
    tree_node("rom");
    tree_text("device_type", "rom");
    tree_cells("reg", 2, (const uint32_t[]){ 0x100000, 0x1000 });
    tree_end();
    tree_node("empty");
    tree_text("device_type", "memory");
    tree_end();
    add_memory(2, (const uint32_t[]){ 0x200000, 0x2000 });
    use(tree_made(ROOM));
    CHECK_EQUAL(found.ranges, 1);
    check_range(0, 0x200000, 0x2000);
}

TEST(more_ranges_than_are_kept_are_refused)
{
    uint32_t cells[2 * (MAX_RANGES + 1)];

    for (unsigned i = 0; i <= MAX_RANGES; i++) {
        cells[2 * i] = 0x100000 * (i + 1);
        cells[2 * i + 1] = 0x1000;
    }
    use(tree_with(1, 1, 2 * MAX_RANGES, cells));
    CHECK_EQUAL(found.ranges, MAX_RANGES);
    check_range(MAX_RANGES - 1, 0x100000 * MAX_RANGES, 0x1000);
    refuse(tree_with(1, 1, 2 * (MAX_RANGES + 1), cells), "the device tree has more ranges of memory than the firmware keeps");
}

TEST(the_tree_gets_psci_and_keeps_the_kernel_out_of_the_firmware)
{
    uint64_t base, bytes;
    void *tree = tree_with(1, 1, 2, (const uint32_t[]){ 0x100000, 0x1000 });

    use(tree);
    CHECK_TEXT("smc", (const char *)fdt_getprop(tree, fdt_path_offset(tree, "/psci"), "method", NULL));
    CHECK_TEXT("psci", (const char *)fdt_getprop(tree, fdt_path_offset(tree, "/cpus/cpu@0"), "enable-method", NULL));
    CHECK(fdt_path_offset(tree, "/cpus/idle-states") < 0);
    CHECK_EQUAL(fdt_num_mem_rsv(tree), 1);
    CHECK_EQUAL(fdt_get_mem_rsv(tree, 0, &base, &bytes), 0);
    CHECK_EQUAL(base, FIRMWARE_BASE);
    CHECK_EQUAL(bytes, FIRMWARE_END - FIRMWARE_BASE);
}

TEST(without_a_tree_there_is_the_memory_that_every_board_has)
{
    static uint32_t nothing[16];

    CHECK(raspi4_use_tree(nothing, &found, &has_tree) == NULL);
    CHECK(!has_tree);
    CHECK_EQUAL(found.ranges, 1);
    check_range(0, FIRMWARE_END, MEMORY_WITHOUT_TREE_END - FIRMWARE_END);
}
