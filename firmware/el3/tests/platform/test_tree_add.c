/* SPDX-License-Identifier: BSD-3-Clause */
/* What the normal world finds in the tree once the firmware has added to it. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_tree.h"
#include "power_states.h"

#define ROOM 0x2000U

static char *tree;

static void add_to(void *made, const struct tree_range *memory)
{
    struct tree_machine machine = { .ranges = memory != NULL, .memory = { memory != NULL ? *memory : (struct tree_range){ 0, 0 } } };
    const char *error = tree_add_firmware(made, &machine);

    if (error != NULL) {
        fail_msg("refused: %s", error);
    }
    tree = made;
    CHECK_EQUAL(fdt_check_full(tree, fdt_totalsize(tree)), 0);
}

static int node_at(const char *path)
{
    int node = fdt_path_offset(tree, path);

    if (node < 0) {
        fail_msg("there is no %s", path);
    }
    return node;
}

static void check_absent(const char *path)
{
    CHECK_EQUAL(fdt_path_offset(tree, path), -FDT_ERR_NOTFOUND);
}

static void check_text(const char *path, const char *name, const char *wanted)
{
    int bytes;
    const char *text = fdt_getprop(tree, node_at(path), name, &bytes);

    CHECK(text != NULL);
    CHECK_EQUAL(bytes, strlen(wanted) + 1);
    CHECK_TEXT(wanted, text);
}

static uint32_t cell(const char *path, const char *name)
{
    int bytes;
    const fdt32_t *value = fdt_getprop(tree, node_at(path), name, &bytes);

    if (value == NULL || bytes != 4) {
        fail_msg("%s has no %s of one cell", path, name);
    }
    return fdt32_to_cpu(*value);
}

static void *usual_tree(unsigned cores)
{
    struct described machine = described_usual();

    machine.cores = cores;
    tree_begin_of(&machine);
    return tree_made(ROOM);
}

TEST(psci_is_named_and_called_by_smc)
{
    static const char compatible[] = "arm,psci-1.0\0arm,psci-0.2";
    int bytes;

    add_to(usual_tree(2), NULL);
    const char *said = fdt_getprop(tree, node_at("/psci"), "compatible", &bytes);

    CHECK_EQUAL(bytes, sizeof(compatible));
    assert_memory_equal(said, compatible, sizeof(compatible));
    check_text("/psci", "method", "smc");
}

static void check_state(const char *path, uint32_t power_state, uint32_t entry_us, uint32_t exit_us, uint32_t residency_us)
{
    check_text(path, "compatible", "arm,idle-state");
    CHECK_EQUAL(cell(path, "arm,psci-suspend-param"), power_state);
    CHECK_EQUAL(cell(path, "entry-latency-us"), entry_us);
    CHECK_EQUAL(cell(path, "exit-latency-us"), exit_us);
    CHECK_EQUAL(cell(path, "min-residency-us"), residency_us);
}

TEST(three_idle_states_are_described_the_shallowest_first)
{
    add_to(usual_tree(2), NULL);
    check_text("/cpus/idle-states", "entry-method", "psci");
    check_state("/cpus/idle-states/cpu-standby", STANDBY_CORE, 10, 10, 40);
    check_state("/cpus/idle-states/cpu-sleep", SUSPEND_CORE, 60, 60, 300);
    check_state("/cpus/idle-states/cluster-sleep", SUSPEND_CLUSTER, 200, 200, 2000);

    int first = fdt_first_subnode(tree, node_at("/cpus/idle-states"));
    int second = fdt_next_subnode(tree, first);

    CHECK_TEXT("cpu-standby", fdt_get_name(tree, first, NULL));
    CHECK_TEXT("cpu-sleep", fdt_get_name(tree, second, NULL));
    CHECK_TEXT("cluster-sleep", fdt_get_name(tree, fdt_next_subnode(tree, second), NULL));
}

static void check_core(const char *path)
{
    static const char *const states[] = { "/cpus/idle-states/cpu-standby", "/cpus/idle-states/cpu-sleep", "/cpus/idle-states/cluster-sleep" };
    int bytes;

    check_text(path, "enable-method", "psci");
    const fdt32_t *handles = fdt_getprop(tree, node_at(path), "cpu-idle-states", &bytes);

    CHECK(handles != NULL);
    CHECK_EQUAL(bytes, 12);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQUAL(fdt_node_offset_by_phandle(tree, fdt32_to_cpu(handles[i])), node_at(states[i]));
    }
}

TEST(every_core_is_started_by_psci_and_has_the_three_idle_states)
{
    static const char *const cores[] = { "/cpus/cpu@0", "/cpus/cpu@1", "/cpus/cpu@2", "/cpus/cpu@15" };

    add_to(usual_tree(16), NULL);
    for (unsigned i = 0; i < 4; i++) {
        check_core(cores[i]);
    }
    CHECK(fdt_getprop(tree, node_at("/cpus/idle-states"), "enable-method", NULL) == NULL);
    CHECK_EQUAL(cell("/cpus/cpu@15", "reg"), 15);
}

TEST(whatever_started_a_core_before_is_gone)
{
    tree_begin();
    tree_node("cpus");
    tree_node("cpu@0");
    tree_text("device_type", "cpu");
    tree_text("enable-method", "spin-table");
    tree_cell("cpu-release-addr", 0xD8);
    tree_cell("reg", 0);
    tree_end();
    tree_node("no-core");
    tree_cell("cpu-release-addr", 0xD8);
    tree_end();
    tree_end();
    add_to(tree_made(ROOM), NULL);
    CHECK(fdt_getprop(tree, node_at("/cpus/cpu@0"), "cpu-release-addr", NULL) == NULL);
    check_core("/cpus/cpu@0");
    CHECK_EQUAL(cell("/cpus/no-core", "cpu-release-addr"), 0xD8);
    CHECK(fdt_getprop(tree, node_at("/cpus/no-core"), "enable-method", NULL) == NULL);
}

TEST(idle_states_and_psci_that_are_there_stay_as_they_are)
{
    struct described machine = described_usual();

    machine.cores = 0;
    tree_begin_of(&machine);
    tree_node("psci");
    tree_text("method", "hvc");
    tree_end();
    tree_node("cpus");
    tree_node("cpu@0");
    tree_text("device_type", "cpu");
    tree_cell("cpu-idle-states", 77);
    tree_end();
    tree_node("idle-states");
    tree_node("own");
    tree_cell("phandle", 77);
    tree_end();
    tree_end();
    tree_end();
    add_to(tree_made(ROOM), NULL);
    check_text("/psci", "method", "hvc");
    CHECK(fdt_getprop(tree, node_at("/psci"), "compatible", NULL) == NULL);
    check_text("/cpus/cpu@0", "enable-method", "psci");
    CHECK_EQUAL(cell("/cpus/cpu@0", "cpu-idle-states"), 77);
    CHECK_EQUAL(cell("/cpus/idle-states/own", "phandle"), 77);
    check_absent("/cpus/idle-states/cpu-standby");
}

static void add_device(const char *name, const char *status, const char *secure_status)
{
    tree_node(name);
    if (status != NULL) {
        tree_text("status", status);
    }
    if (secure_status != NULL) {
        tree_text("secure-status", secure_status);
    }
    tree_node("below");
    tree_end();
    tree_end();
}

static void *tree_with_devices(void)
{
    struct described machine = described_usual();

    machine.secure_ram = (struct tree_range){ SECURE_RAM_BASE, 0x1000 };
    tree_begin_of(&machine);
    add_device("secure-first", "disabled", "okay");
    add_device("secure-second", "disabled", "okay");
    add_device("of-nobody", "disabled", NULL);
    add_device("of-both", "okay", "okay");
    add_device("of-both-silently", NULL, "okay");
    add_device("of-the-normal-world", "okay", NULL);
    add_device("silent", NULL, NULL);
    add_device("secure-last", "disabled", "okay");
    tree_node("aliases");
    tree_text("a", "/secure-first");
    tree_text("b", "/secure-second/below");
    tree_text("c", "/of-both");
    tree_text("d", "/secure-last");
    tree_text("e", "/silent/below");
    tree_end();
    add_device("secure-chosen", NULL, NULL);
    add_device("chosen", NULL, NULL);
    return tree_made(ROOM);
}

TEST(what_only_the_secure_world_reaches_is_gone_and_nothing_else)
{
    static const char *const gone[] = { "/secure-first", "/secure-second", "/secure-last", "/secure-chosen", "/secram" };
    static const char *const kept[] = { "/of-nobody/below", "/of-both/below", "/of-both-silently", "/of-the-normal-world",
                                        "/silent/below",    "/chosen",        "/timer",            "/memory@0",
                                        "/intc",            "/cpus/cpu@1" };

    add_to(tree_with_devices(), NULL);
    for (unsigned i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        check_absent(gone[i]);
    }
    for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        (void)node_at(kept[i]);
    }
}

TEST(no_alias_names_what_is_gone)
{
    add_to(tree_with_devices(), NULL);
    int aliases = node_at("/aliases");

    CHECK(fdt_getprop(tree, aliases, "a", NULL) == NULL);
    CHECK(fdt_getprop(tree, aliases, "b", NULL) == NULL);
    check_text("/aliases", "c", "/of-both");
    CHECK(fdt_getprop(tree, aliases, "d", NULL) == NULL);
    check_text("/aliases", "e", "/silent/below");
}

static void check_reserved(struct tree_range memory, int reserved)
{
    add_to(usual_tree(1), &memory);
    CHECK_EQUAL(fdt_num_mem_rsv(tree), reserved);
    if (reserved != 0) {
        uint64_t base, bytes;

        CHECK_EQUAL(fdt_get_mem_rsv(tree, 0, &base, &bytes), 0);
        CHECK_EQUAL(base, SECURE_RAM_BASE);
        CHECK_EQUAL(bytes, SECURE_RAM_END - SECURE_RAM_BASE);
    }
}

TEST(secure_ram_is_reserved_where_it_lies_in_memory)
{
    check_reserved((struct tree_range){ DRAM_BASE, 0x40000000 }, 0);
    check_reserved((struct tree_range){ 0, SECURE_RAM_BASE }, 0);
    check_reserved((struct tree_range){ 0, SECURE_RAM_BASE + 1 }, 1);
    check_reserved((struct tree_range){ SECURE_RAM_BASE, 0x1000 }, 1);
    check_reserved((struct tree_range){ SECURE_RAM_BASE + 1, 0x40000000 }, 0);
    check_reserved((struct tree_range){ 0, 0x80000000 }, 1);
}

TEST(secure_ram_is_reserved_once_whichever_range_it_lies_in)
{
    struct tree_machine machine = { .ranges = 2, .memory = { { 0, 0x1000 }, { SECURE_RAM_BASE, 0x1000 } } };

    tree = usual_tree(1);
    CHECK(tree_add_firmware(tree, &machine) == NULL);
    CHECK_EQUAL(fdt_num_mem_rsv(tree), 1);
    machine.ranges = 1;
    tree = usual_tree(1);
    CHECK(tree_add_firmware(tree, &machine) == NULL);
    CHECK_EQUAL(fdt_num_mem_rsv(tree), 0);
}

static void *tree_with_room(uint32_t free_bytes)
{
    void *made = usual_tree(1);
    int total = (int)(fdt_off_dt_strings(made) + fdt_size_dt_strings(made) + free_bytes);

    CHECK_EQUAL(fdt_open_into(made, made, total), 0);
    return made;
}

TEST(a_tree_with_room_stays_where_it_ends_and_one_with_less_grows)
{
    uint32_t before = fdt_totalsize(tree_with_room(ROOM));

    add_to(tree_with_room(ROOM), NULL);
    CHECK_EQUAL(fdt_totalsize(tree), before);
    add_to(tree_with_room(ROOM - 1), NULL);
    CHECK_EQUAL(fdt_totalsize(tree), before - 1 + ROOM);
}

/* The strings before the structure, with room behind both. */
static void *tree_with_strings_first(void)
{
    const struct fdt_header *usual = usual_tree(1);
    uint32_t strings = fdt_size_dt_strings(usual), structure = fdt_size_dt_struct(usual), begin = fdt_off_dt_struct(usual);
    uint32_t behind = begin + (strings + 7U) / 8U * 8U;
    uint32_t total = behind + structure + ROOM;
    static uint64_t turned[1U << 13];
    char *made = (char *)turned;

    CHECK(total + ROOM <= sizeof(turned));
    memcpy(made, usual, begin);
    memcpy(made + begin, (const char *)usual + fdt_off_dt_strings(usual), strings);
    memcpy(made + behind, (const char *)usual + begin, structure);
    fdt_set_off_dt_strings(made, begin);
    fdt_set_off_dt_struct(made, behind);
    fdt_set_totalsize(made, total);
    return made;
}

TEST(a_tree_in_another_order_is_added_to)
{
    add_to(tree_with_strings_first(), NULL);
    CHECK(fdt_off_dt_strings(tree) > fdt_off_dt_struct(tree));
    check_core("/cpus/cpu@0");
    (void)node_at("/memory@0");
}

TEST(a_tree_of_an_older_version_is_added_to)
{
    struct fdt_header *header = tree_with_room(ROOM);

    header->version = cpu_to_fdt32(16);
    add_to(header, NULL);
    CHECK_EQUAL(fdt_version(tree), 17);
    check_core("/cpus/cpu@0");
}

TEST(new_handles_are_none_that_the_tree_has)
{
    struct described machine = described_usual();

    tree_begin_of(&machine);
    tree_node("device");
    tree_cell("phandle", 0x12345);
    tree_end();
    add_to(tree_made(ROOM), NULL);
    CHECK_EQUAL(cell("/cpus/idle-states/cpu-standby", "phandle"), 0x12346);
    CHECK_EQUAL(cell("/cpus/idle-states/cpu-sleep", "phandle"), 0x12347);
    CHECK_EQUAL(cell("/cpus/idle-states/cluster-sleep", "phandle"), 0x12348);
}

TEST(a_tree_whose_handles_are_used_up_is_refused)
{
    struct described machine = described_usual();
    struct tree_machine nothing = { 0 };

    tree_begin_of(&machine);
    tree_node("device");
    tree_cell("phandle", 0xFFFFFFFE);
    tree_end();
    CHECK_TEXT("the device tree cannot be added to", tree_add_firmware(tree_made(ROOM), &nothing));
}

TEST(a_tree_without_cores_cannot_be_added_to)
{
    struct described machine = described_usual();
    struct tree_machine nothing = { 0 };

    machine.cores = 0;
    tree_begin_of(&machine);
    CHECK_TEXT("the device tree cannot be added to", tree_add_firmware(tree_made(ROOM), &nothing));
}
