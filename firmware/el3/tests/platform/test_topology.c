/* SPDX-License-Identifier: BSD-3-Clause */
/* Power domains of the machine's clusters or the user's, and what the normal world's calls ask about them. */
#include <setjmp.h>
#include <string.h>

#include "arch_el3.h"
#include "harness.h"
#include "qemu_tree.h"

static const char *wanted; /* what the user told QEMU; NULL: nothing */
static jmp_buf refused;
static uint64_t refused_with;

bool qemu_tree_wanted(const char *name, char value[WANTED_BYTES])
{
    CHECK_TEXT("opt/latlab/clusters", name);
    if (wanted == NULL) {
        return false;
    }
    strcpy(value, wanted);
    return true;
}

void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    CHECK_TEXT("the wanted clusters (fw_cfg opt/latlab/clusters) do not add up to the machine's cores (which are)", what);
    CHECK_EQUAL(b, 0);
    CHECK_EQUAL(c, 0);
    refused_with = a;
    longjmp(refused, 1);
}

void harness_before_each(void)
{
    wanted = NULL;
    qemu_tree_machine = (struct tree_machine){ .cores = 6, .clusters = 2, .cluster_cores = { 4, 2 } };
}

static void check_topology(unsigned clusters, const unsigned *cores)
{
    const struct psci_topology *topology = qemu_tree_topology(&qemu_tree_machine);
    unsigned first = 0;

    CHECK_EQUAL(topology->top_level, 2);
    CHECK_EQUAL(topology->domains, clusters + 1);
    for (unsigned cluster = 0; cluster < clusters; cluster++) {
        const struct psci_domain_shape *shape = &topology->shapes[cluster];

        CHECK_EQUAL(shape->level, 1);
        CHECK_EQUAL(shape->parent, clusters);
        CHECK_EQUAL(shape->first_core, first);
        CHECK_EQUAL(shape->cores, cores[cluster]);
        for (unsigned core = 0; core < cores[cluster]; core++) {
            struct monitor_location location = qemu_tree_location(first + core);

            CHECK_EQUAL(topology->domain_of_core[first + core], cluster);
            CHECK_EQUAL(location.cluster, cluster);
            CHECK_EQUAL(location.core, core);
            CHECK_EQUAL(location.mpidr, first + core);
        }
        first += cores[cluster];
    }
    CHECK_EQUAL(topology->cores, first);
    CHECK_EQUAL(first, qemu_tree_machine.cores);
    CHECK_EQUAL(topology->shapes[clusters].level, 2);
    CHECK_EQUAL(topology->shapes[clusters].parent, PSCI_NO_DOMAIN);
    CHECK_EQUAL(topology->shapes[clusters].first_core, 0);
    CHECK_EQUAL(topology->shapes[clusters].cores, first);
}

TEST(the_domains_are_the_machines_clusters_below_one_system)
{
    check_topology(2, (const unsigned[]){ 4, 2 });
    qemu_tree_machine = (struct tree_machine){ .cores = 1, .clusters = 1, .cluster_cores = { 1 } };
    check_topology(1, (const unsigned[]){ 1 });
    qemu_tree_machine = (struct tree_machine){ .cores = 16, .clusters = 3, .cluster_cores = { 1, 14, 1 } };
    check_topology(3, (const unsigned[]){ 1, 14, 1 });
}

TEST(clusters_that_the_user_wants_take_the_place_of_the_machines)
{
    static const unsigned ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

    wanted = "1,2,3";
    check_topology(3, (const unsigned[]){ 1, 2, 3 });
    wanted = "6";
    check_topology(1, (const unsigned[]){ 6 });
    wanted = "05,1";
    check_topology(2, (const unsigned[]){ 5, 1 });
    qemu_tree_machine.cores = 16;
    wanted = "16";
    check_topology(1, (const unsigned[]){ 16 });
    wanted = "10,6";
    check_topology(2, (const unsigned[]){ 10, 6 });
    wanted = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
    check_topology(16, ones);
}

TEST(clusters_that_are_not_numbers_or_not_as_many_cores_as_there_are_are_refused)
{
    static const char *const wrong[] = {
        "", ",", "6,", ",6", "2,,4", "2,4,", "5", "7", "2,5", "6,0", "0,6", "x", "6x", "3 3", "3,3 ", "-6", "3;3", "3/3", "3:3", "3+3", "3.3",
        "262", "4294967302", "2,4294967300", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,0",
    };

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        wanted = wrong[i];
        refused_with = 0;
        if (setjmp(refused) == 0) {
            (void)qemu_tree_topology(&qemu_tree_machine);
            fail_msg("\"%s\" is taken", wanted);
        }
        CHECK_EQUAL(refused_with, 6);
    }
}

TEST(memory_is_the_normal_worlds_where_all_of_it_lies_in_one_range)
{
    qemu_tree_machine.ranges = 2;
    qemu_tree_machine.memory[0] = (struct tree_range){ 0x40000000, 0x1000 };
    qemu_tree_machine.memory[1] = (struct tree_range){ UINT64_MAX - 0xFFF, 0x1000 };
    CHECK(qemu_tree_is_ns_memory(0x40000000, 1));
    CHECK(qemu_tree_is_ns_memory(0x40000000, 0x1000));
    CHECK(qemu_tree_is_ns_memory(0x40000FFF, 1));
    CHECK(!qemu_tree_is_ns_memory(0x3FFFFFFF, 1));
    CHECK(!qemu_tree_is_ns_memory(0x3FFFFFFF, 2));
    CHECK(!qemu_tree_is_ns_memory(0x40000001, 0x1000));
    CHECK(!qemu_tree_is_ns_memory(0x40001000, 1));
    CHECK(!qemu_tree_is_ns_memory(0x40000FFF, 2));
    CHECK(!qemu_tree_is_ns_memory(0x40000000, UINT64_MAX));
    CHECK(!qemu_tree_is_ns_memory(0x40000FFF, UINT64_MAX));
    CHECK(qemu_tree_is_ns_memory(UINT64_MAX, 1));
    CHECK(qemu_tree_is_ns_memory(UINT64_MAX - 0xFFF, 0x1000));
    CHECK(!qemu_tree_is_ns_memory(UINT64_MAX, 2));
    CHECK(!qemu_tree_is_ns_memory(0, 1));
    qemu_tree_machine.ranges = 1;
    CHECK(!qemu_tree_is_ns_memory(UINT64_MAX, 1));
    qemu_tree_machine.ranges = 0;
    CHECK(!qemu_tree_is_ns_memory(0x40000000, 1));
}

TEST(only_an_mpidr_that_a_core_has_is_a_core)
{
    qemu_tree_machine.cores = 16;
    for (unsigned core = 0; core < 16; core++) {
        CHECK_EQUAL(qemu_tree_core_of_mpidr(core), core);
        CHECK_EQUAL(qemu_tree_mpidr_of_core(core), core);
    }
    for (unsigned bit = 4; bit < 64; bit++) {
        CHECK_EQUAL(qemu_tree_core_of_mpidr(1ULL << bit), -1);
        CHECK_EQUAL(qemu_tree_core_of_mpidr(1ULL << bit | 5), -1);
    }
    qemu_tree_machine.cores = 6;
    CHECK_EQUAL(qemu_tree_core_of_mpidr(5), 5);
    CHECK_EQUAL(qemu_tree_core_of_mpidr(6), -1);
    CHECK_EQUAL(qemu_tree_core_of_mpidr(UINT64_MAX), -1);
}

/* The cores that could be there one day: QEMU goes on at Aff1. */
TEST(the_seventeenth_core_begins_the_next_aff1)
{
    qemu_tree_machine.cores = 40;
    CHECK_EQUAL(qemu_tree_core_of_mpidr(0x100), 16);
    CHECK_EQUAL(qemu_tree_core_of_mpidr(0x207), 39);
    CHECK_EQUAL(qemu_tree_mpidr_of_core(16), 0x100);
    CHECK_EQUAL(qemu_tree_mpidr_of_core(39), 0x207);
    CHECK_EQUAL(qemu_tree_core_of_mpidr(0x208), -1);
    CHECK_EQUAL(qemu_tree_core_of_mpidr(0x10), -1);
}
