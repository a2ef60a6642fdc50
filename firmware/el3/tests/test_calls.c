/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call of PSCI and each error that it has, one core at a time. */
#include "fake_platform.h"
#include "harness.h"
#include "psci_private.h"

#define SUSPEND_CORE 0x00010002U
#define SUSPEND_CLUSTER 0x01011022U
#define SUSPEND_SYSTEM 0x02012222U
#define STANDBY 0x00000001U
#define NO_MPIDR 0x0000FF00U
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t calls_32[] = {
    PSCI_VERSION, PSCI_CPU_SUSPEND, PSCI_CPU_OFF, PSCI_CPU_ON, PSCI_AFFINITY_INFO, PSCI_MIGRATE_INFO_TYPE, PSCI_SYSTEM_OFF,
    PSCI_SYSTEM_RESET, PSCI_FEATURES, PSCI_CPU_DEFAULT_SUSPEND, PSCI_NODE_HW_STATE, PSCI_SYSTEM_SUSPEND, PSCI_SET_SUSPEND_MODE,
    PSCI_STAT_RESIDENCY, PSCI_STAT_COUNT, PSCI_SYSTEM_RESET2, PSCI_MEM_PROTECT, PSCI_MEM_PROTECT_CHECK_RANGE, PSCI_SYSTEM_OFF2,
};
static const uint32_t calls_64[] = {
    PSCI_CPU_SUSPEND, PSCI_CPU_ON, PSCI_AFFINITY_INFO, PSCI_CPU_DEFAULT_SUSPEND, PSCI_NODE_HW_STATE, PSCI_SYSTEM_SUSPEND,
    PSCI_STAT_RESIDENCY, PSCI_STAT_COUNT, PSCI_SYSTEM_RESET2, PSCI_MEM_PROTECT_CHECK_RANGE, PSCI_SYSTEM_OFF2,
};

static bool is_in(uint32_t id, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

static void init(void)
{
    fake_init(&fake_juno, NULL);
}

/* Core 0 goes on as before, another one runs beside it. */
static void start_core(unsigned core)
{
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(core), FAKE_ENTRY, core), PSCI_SUCCESS);
    host_warm_boot(core);
    host_become(0);
}

static void down_as(unsigned core, uint32_t id, uint64_t x1)
{
    host_become(core);
    CHECK_EQUAL(fake_call(id, x1, FAKE_ENTRY, core, NULL), HOST_DOWN);
    host_become(0);
}

TEST(version_is_1_3_and_there_is_no_trusted_os_to_migrate)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_VERSION, 0, 0, 0), 0x10003);
    CHECK_EQUAL(fake_returns(PSCI_MIGRATE_INFO_TYPE, 0, 0, 0), 2);
}

TEST(features_knows_every_call_in_the_form_that_it_has_and_no_other_id)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_FEATURES, 0x80000000U, 0, 0), PSCI_SUCCESS);
    for (uint32_t function = 0; function < 0x40; function++) {
        uint32_t id_32 = PSCI_VERSION + function;
        uint32_t id_64 = PSCI_ID_64(id_32);
        /* Of CPU_SUSPEND: original format, OS-initiated mode. Of SYSTEM_OFF2: HIBERNATE_OFF. */
        int64_t known = id_32 == PSCI_CPU_SUSPEND || id_32 == PSCI_SYSTEM_OFF2 ? 1 : 0;

        CHECK_EQUAL(fake_returns(PSCI_FEATURES, id_32, 0, 0), is_in(id_32, calls_32, COUNT(calls_32)) ? known : PSCI_NOT_SUPPORTED);
        CHECK_EQUAL(fake_returns(PSCI_FEATURES, id_64, 0, 0), is_in(id_32, calls_64, COUNT(calls_64)) ? known : PSCI_NOT_SUPPORTED);
    }
    for (unsigned i = 0; i < 10000; i++) {
        uint32_t id = (uint32_t)harness_random() | 0x00000100U;

        CHECK_EQUAL(fake_returns(PSCI_FEATURES, id, 0, 0), PSCI_NOT_SUPPORTED);
    }
}

TEST(a_call_in_a_form_that_it_does_not_have_is_not_supported)
{
    init();
    for (uint32_t function = 0; function < 0x20; function++) {
        uint32_t id = PSCI_VERSION + function;

        if (!is_in(id, calls_32, COUNT(calls_32))) {
            CHECK_EQUAL(fake_returns(id, 0, 0, 0), PSCI_NOT_SUPPORTED);
        }
        if (!is_in(id, calls_64, COUNT(calls_64))) {
            CHECK_EQUAL(fake_returns(PSCI_ID_64(id), 0, 0, 0), PSCI_NOT_SUPPORTED);
        }
    }
}

TEST(cpu_on_starts_a_core_at_its_entry_point_with_its_context_id)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(3), FAKE_ENTRY + 8, 0x123456789ABCULL), PSCI_SUCCESS);
    CHECK_EQUAL(fake_seen.switched_on[3], 1);
    struct psci_entry entry = host_warm_boot(3);

    CHECK_EQUAL(entry.address, FAKE_ENTRY + 8);
    CHECK_EQUAL(entry.context_id, 0x123456789ABCULL);
}

TEST(a_core_goes_on_with_the_attributes_of_whoever_named_its_entry_point)
{
    for (uint64_t caller = 0; caller < 2; caller++) {
        init();
        host_cores[0].attributes = caller;
        host_cores[3].attributes = 1 - caller; /* of its former life */
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(3), FAKE_ENTRY, 0), PSCI_SUCCESS);
        CHECK_EQUAL(host_warm_boot(3).attributes, caller);
        down_as(3, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE);
        CHECK_EQUAL(host_warm_boot(3).attributes, 1 - caller);
        down_as(3, PSCI_ID_64(PSCI_CPU_DEFAULT_SUSPEND), FAKE_ENTRY);
        CHECK_EQUAL(host_warm_boot(3).attributes, 1 - caller);
        down_as(3, PSCI_CPU_OFF, 0);
        down_as(0, PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY);
        CHECK_EQUAL(host_warm_boot(0).attributes, caller);
    }
}

TEST(cpu_on_refuses_what_is_wrong_with_its_arguments_and_starts_nothing)
{
    const uint64_t wrong_entries[] = { FAKE_ENTRY + 1, FAKE_ENTRY + 2, FAKE_NS_BASE - 4, FAKE_NS_BASE + FAKE_NS_BYTES, 0, UINT64_MAX - 3 };

    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), NO_MPIDR, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1) | 1ULL << 32, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    for (unsigned i = 0; i < sizeof(wrong_entries) / sizeof(wrong_entries[0]); i++) {
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), wrong_entries[i], 0), PSCI_INVALID_ADDRESS);
    }
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(1), 0, 0), PSCI_CORE_OFF);
    CHECK_EQUAL(fake_seen.switched_on[1], 0);
}

TEST(cpu_on_that_the_power_controller_refuses_fails_and_leaves_the_core_off)
{
    init();
    fake_refuses_to_switch_on = true;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 7), PSCI_INTERNAL_FAILURE);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(1), 0, 0), PSCI_CORE_OFF);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 7), PSCI_INTERNAL_FAILURE);
    fake_refuses_to_switch_on = false;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY + 4, 8), PSCI_SUCCESS);
    CHECK_EQUAL(host_warm_boot(1).context_id, 8);
}

TEST(cpu_on_of_a_core_that_is_on_its_way_or_on_or_suspended_says_so)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(0), FAKE_ENTRY, 0), PSCI_ALREADY_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 7), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY + 4, 8), PSCI_ON_PENDING);
    CHECK_EQUAL(host_warm_boot(1).context_id, 7);
    host_become(0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 0), PSCI_ALREADY_ON);
    down_as(1, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 0), PSCI_ALREADY_ON);
    CHECK_EQUAL(fake_seen.switched_on[1], 1);
}

TEST(a_32_bit_call_uses_the_low_halves_of_its_arguments)
{
    init();
    uint64_t junk = 0xDEADBEEF00000000ULL;

    CHECK_EQUAL(fake_returns(PSCI_CPU_ON, junk | fake_mpidr(1), junk | FAKE_ENTRY, junk | 0x55), PSCI_SUCCESS);
    struct psci_entry entry = host_warm_boot(1);

    CHECK_EQUAL(entry.address, FAKE_ENTRY);
    CHECK_EQUAL(entry.context_id, 0x55);
    CHECK_EQUAL(fake_returns(PSCI_AFFINITY_INFO, junk | fake_mpidr(1), junk, 0), PSCI_CORE_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), junk | fake_mpidr(1), 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT_CHECK_RANGE, junk | FAKE_NS_BASE, junk | 4096, 0), PSCI_SUCCESS);
}

TEST(affinity_info_follows_a_core_and_refuses_what_does_not_exist)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), NO_MPIDR, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(0), 3, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(0), UINT64_MAX, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(2), 1, 0), PSCI_CORE_OFF);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(2), FAKE_ENTRY, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(3), 1, 0), PSCI_CORE_ON_PENDING);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(3), 2, 0), PSCI_CORE_ON);
    host_warm_boot(2);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(3), 1, 0), PSCI_CORE_ON);
    down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_SYSTEM);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(2), 0, 0), PSCI_CORE_ON);
    host_warm_boot(2);
    down_as(2, PSCI_CPU_OFF, 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(2), 0, 0), PSCI_CORE_OFF);
    CHECK_EQUAL(fake_seen.prepared_for_off, 1);
}

/* The whole range of the fields: what the specification says, worked out from the list of cores alone. */
static int64_t affinity_by_the_list(uint64_t fields, unsigned level)
{
    int64_t found = PSCI_INVALID_PARAMETERS;

    for (unsigned core = 0; core < fake_topology->cores; core++) {
        int64_t state = psci.cores[core].state.value == PSCI_CORE_OFF ? 1 : 0;

        if (fake_mpidr(core) / (1ULL << 8 * level) == fields / (1ULL << 8 * level)) {
            found = found < 0 || state == 0 ? state : found;
        }
    }
    return found;
}

static int64_t hw_state_by_the_list(uint64_t fields, unsigned level)
{
    for (unsigned core = 0; core < fake_topology->cores; core++) {
        if (fake_mpidr(core) / (1ULL << 8 * level) == fields / (1ULL << 8 * level)) {
            return level == 0 ? psci.cores[core].state.value == PSCI_CORE_OFF
                              : psci_domain_at(&psci.cores[core], (enum psci_level)level)->state.value == PSCI_DOMAIN_DOWN;
        }
    }
    return PSCI_INVALID_PARAMETERS;
}

static void check_fields(uint64_t fields)
{
    for (unsigned level = 0; level <= (unsigned)fake_topology->top_level; level++) {
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fields, level, 0), affinity_by_the_list(fields, level));
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fields, level, 0), hw_state_by_the_list(fields, level));
    }
    for (uint64_t level = (uint64_t)fake_topology->top_level + 1; level < 8; level++) {
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fields, level, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fields, level, 0), PSCI_INVALID_PARAMETERS);
    }
}

TEST(above_level_0_the_affinity_fields_below_the_level_are_ignored_and_no_other_bit_is)
{
    static const struct fake_shape in_groups = { .clusters = 4, .cores = { 1, 2, 2, 1 }, .clusters_per_group = 2 };
    const struct fake_shape *const all[] = { &fake_juno, &in_groups };

    for (unsigned shape = 0; shape < COUNT(all); shape++) {
        fake_init(all[shape], NULL);
        start_core(fake_topology->cores - 1U);
        for (uint64_t field = 0; field < 256; field++) {
            for (uint64_t aff1 = 0; aff1 < 8; aff1++) {
                check_fields(aff1 << 8 | field); /* Aff0 */
                check_fields(field << 16 | aff1 << 8 | 0xFF); /* Aff2 */
            }
            check_fields(field << 8);
            check_fields(field << 8 | 0x0F);
        }
        for (unsigned bit = 24; bit < 64; bit++) {
            check_fields(1ULL << bit); /* Aff3, and what is no field */
            check_fields(1ULL << bit | 0xFFFF);
        }
    }
}

/* Clusters of one Aff1, as QEMU numbers its cores: fields that name cores of several domains name none. */
static uint64_t all_of_one_aff1(unsigned core)
{
    return core;
}

static int core_of_one_aff1(uint64_t mpidr)
{
    return mpidr < fake_topology->cores ? (int)mpidr : -1;
}

TEST(where_power_domains_are_no_affinity_instances_a_core_names_its_domain_and_other_fields_the_only_one)
{
    init();
    struct psci_platform in_a_row = *psci.platform;

    in_a_row.mpidr_of_core = all_of_one_aff1;
    in_a_row.core_of_mpidr = core_of_one_aff1;
    psci.platform = &in_a_row;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), 0, 1, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), 2, 1, 0), 1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), 0xF, 1, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), 0xF0F, 2, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), 2, 1, 0), PSCI_CORE_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), 0xF, 1, 0), PSCI_CORE_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), 0xFF, 1, 0), PSCI_CORE_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), 0xF0F, 2, 0), PSCI_CORE_ON);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), 0x10F, 1, 0), PSCI_INVALID_PARAMETERS);
}

TEST(node_hw_state_tells_on_off_and_standby_of_a_core_and_of_its_domains)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), NO_MPIDR, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(0), 3, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(0), 0, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 0, 0), 1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 1, 0), 1);
    start_core(2);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 1, 0), 0);
    down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), 0x01010012);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 0, 0), 1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 1, 0), 2);
}

TEST(cpu_suspend_refuses_an_entry_point_only_where_it_would_need_one)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE, FAKE_ENTRY + 2, 0), PSCI_INVALID_ADDRESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE, 0, 0), PSCI_INVALID_ADDRESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_DEFAULT_SUSPEND), 0, 0, 0), PSCI_INVALID_ADDRESS);
    host_interrupt(0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), STANDBY, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(psci.cores[0].state.value, PSCI_CORE_ON);
    CHECK_EQUAL(fake_seen.messages, 0);
}

TEST(a_core_that_keeps_to_level_0_takes_no_lock_and_votes_for_nothing)
{
    init();
    struct psci_vote before = psci.cores[0].vote;

    down_as(0, PSCI_ID_64(PSCI_CPU_DEFAULT_SUSPEND), FAKE_ENTRY);
    CHECK_EQUAL(psci.cores[0].vote.running, before.running);
    CHECK_EQUAL(fake_seen.last_message, PSCI_LEVEL_CORE);
    CHECK_EQUAL(psci.domains[0].state.value, PSCI_DOMAIN_ON);
}

TEST(system_suspend_is_denied_while_any_other_core_is_not_off)
{
    init();
    start_core(1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY, 0, 0), PSCI_DENIED);
    down_as(1, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY, 0, 0), PSCI_DENIED);
    host_warm_boot(1);
    down_as(1, PSCI_CPU_OFF, 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(4), FAKE_ENTRY, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY, 0, 0), PSCI_DENIED);
    host_warm_boot(4);
    down_as(4, PSCI_CPU_OFF, 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY + 1, 0, 0), PSCI_INVALID_ADDRESS);
    down_as(0, PSCI_ID_64(PSCI_SYSTEM_SUSPEND), FAKE_ENTRY);
    CHECK_EQUAL(fake_seen.last_message, 2);
    CHECK_EQUAL(host_warm_boot(0).address, FAKE_ENTRY);
}

TEST(the_suspend_mode_changes_only_while_no_core_sleeps_and_back_only_when_alone)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 2, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 0, 0, 0), PSCI_SUCCESS);
    start_core(1);
    down_as(1, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_DENIED);
    host_warm_boot(1);
    host_become(0);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 0, 0, 0), PSCI_DENIED);
    down_as(1, PSCI_CPU_OFF, 0);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 0, 0, 0), PSCI_SUCCESS);
}

TEST(os_initiated_a_core_must_say_that_it_is_the_last_and_be_it)
{
    init();
    start_core(1);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), 0x01010022, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER, FAKE_ENTRY, 0), PSCI_DENIED);
    down_as(1, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CORE);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), 0x02011222, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    down_as(0, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER);
    CHECK_EQUAL(fake_seen.last_message, 1);
    CHECK_EQUAL(psci.domains[0].state.value, PSCI_DOMAIN_DOWN);
}

TEST(statistics_count_stays_and_their_time_for_cores_and_domains)
{
    const uint64_t slept_us = 5000;

    init();
    start_core(2);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), SUSPEND_CLUSTER, 0), 0);
    down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER);
    host_cores[2].now_ticks += slept_us;
    host_warm_boot(2);
    host_become(0);
    for (unsigned highest = 0; highest < 2; highest++) {
        uint32_t state = highest == 0 ? SUSPEND_CORE : SUSPEND_CLUSTER;
        int64_t us = fake_returns(PSCI_ID_64(PSCI_STAT_RESIDENCY), fake_mpidr(2), state, 0);

        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), state, 0), 1);
        CHECK(us >= (int64_t)slept_us && us < (int64_t)slept_us + 100);
    }
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), SUSPEND_SYSTEM, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), STANDBY, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), NO_MPIDR, SUSPEND_CORE, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), 0xFFFFFFFF, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_RESIDENCY), fake_mpidr(2), 0xFFFFFFFF, 0), 0);
}

TEST(residency_adds_up_over_stays_and_each_level_has_its_own)
{
    init();
    start_core(2);
    for (unsigned stay = 1; stay <= 3; stay++) {
        uint64_t core_before = psci.cores[2].stat[PSCI_OFF].residency_ticks;
        uint64_t domain_before = psci.domains[1].stat[PSCI_OFF].residency_ticks;

        down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER);
        host_cores[2].now_ticks += 1000U * stay;
        host_warm_boot(2);
        host_become(0);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), SUSPEND_CORE, 0), stay);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(3), SUSPEND_CLUSTER, 0), stay);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(3), SUSPEND_CORE, 0), 0);
        CHECK(psci.cores[2].stat[PSCI_OFF].residency_ticks - core_before - 1000U * stay < 50);
        CHECK(psci.domains[1].stat[PSCI_OFF].residency_ticks - domain_before - 1000U * stay < 50);
    }
    for (unsigned stay = 1; stay <= 2; stay++) {
        uint64_t before = psci.cores[0].stat[PSCI_RETENTION].residency_ticks;

        host_interrupt(0);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), STANDBY, 0, 0), PSCI_SUCCESS);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(0), STANDBY, 0), stay);
        CHECK(psci.cores[0].stat[PSCI_RETENTION].residency_ticks > before && psci.cores[0].stat[PSCI_RETENTION].residency_ticks < 100);
    }
    CHECK_EQUAL(psci.cores[0].stat[PSCI_OFF].count, 0);
}

TEST(a_domain_in_retention_has_statistics_of_its_own)
{
    init();
    start_core(2);
    down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), 0x01010012);
    host_cores[2].now_ticks += 5000;
    host_warm_boot(2);
    host_become(0);
    CHECK_EQUAL(psci.domains[1].stat[PSCI_RETENTION].count, 1);
    CHECK(psci.domains[1].stat[PSCI_RETENTION].residency_ticks - 5000 < 50);
    CHECK_EQUAL(psci.domains[1].stat[PSCI_OFF].count, 0);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), 0x01010012, 0), 1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_COUNT), fake_mpidr(2), SUSPEND_CLUSTER, 0), 0);
}

TEST(a_domain_on_its_way_down_or_up_is_not_off)
{
    const uint32_t on_its_way[] = { PSCI_DOMAIN_GOING_DOWN, PSCI_DOMAIN_COMING_UP, PSCI_DOMAIN_ON };

    init();
    for (unsigned i = 0; i < 3; i++) {
        psci.domains[1].state.value = on_its_way[i];
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 1, 0), 0);
    }
    psci.domains[1].state.value = PSCI_DOMAIN_DOWN;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(2), 1, 0), 1);
}

TEST(a_core_is_off_on_or_in_standby_for_node_hw_state_by_what_it_does)
{
    const int64_t states[] = { [PSCI_CORE_ON] = 0, [PSCI_CORE_OFF] = 1, [PSCI_CORE_ON_PENDING] = 0, [PSCI_CORE_IN_RETENTION] = 2,
                               [PSCI_CORE_SUSPENDED] = 1, [PSCI_CORE_FLUSHED] = 0, [PSCI_CORE_SUSPENDING] = 0 };

    init();
    for (unsigned state = 0; state < sizeof(states) / sizeof(states[0]); state++) {
        psci.cores[3].state.value = state;
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(3), 0, 0), states[state]);
    }
}

TEST(os_initiated_a_domain_goes_no_deeper_than_what_is_in_it)
{
    init();
    start_core(1);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    /* As core 1 votes where it goes to standby, from which it would come back at once here. */
    psci.domains[0].running -= psci.cores[1].vote.running;
    psci.cores[1].vote = (struct psci_vote){ .retention = 0x0001000100010000U };
    psci.domains[0].retention += psci.cores[1].vote.retention;
    psci.cores[1].state.value = PSCI_CORE_IN_RETENTION;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER, FAKE_ENTRY, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(psci.cores[0].state.value, PSCI_CORE_ON);
    down_as(0, PSCI_ID_64(PSCI_CPU_SUSPEND), 0x01011012);
    CHECK_EQUAL(fake_seen.last_message, 0);
    CHECK_EQUAL((int64_t)psci.domains[0].local, PSCI_RETENTION);
}

TEST(a_refused_suspend_leaves_the_core_as_it_was)
{
    init();
    start_core(1);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER, FAKE_ENTRY, 0), PSCI_DENIED);
    CHECK_EQUAL(psci.cores[0].state.value, PSCI_CORE_ON);
    CHECK_EQUAL(psci.cores[0].vote.running, PSCI_VOTE_AWAKE.running);
    CHECK_EQUAL(psci.domains[0].lock.holder, 0);
}

TEST(the_suspend_mode_stays_where_a_core_is_about_to_suspend)
{
    init();
    start_core(1);
    psci.cores[1].state.value = PSCI_CORE_SUSPENDING;
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_DENIED);
    CHECK_EQUAL(psci.suspend_mode.value, PSCI_PLATFORM_COORDINATED);
    psci.cores[1].state.value = PSCI_CORE_ON_PENDING;
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_DENIED);
    psci.cores[1].state.value = PSCI_CORE_ON;
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    psci.cores[1].state.value = PSCI_CORE_ON_PENDING;
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 0, 0, 0), PSCI_DENIED);
    CHECK_EQUAL(psci.suspend_mode.value, PSCI_OS_INITIATED);
}

TEST(a_core_that_comes_back_into_a_cluster_that_runs_takes_one_lock)
{
    init();
    start_core(1);
    down_as(1, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_CLUSTER);
    psci.domains[2].lock.holder = 99; /* whoever asks for it does not come back */
    host_warm_boot(1);
    CHECK_EQUAL(psci.cores[1].state.value, PSCI_CORE_ON);
}

#if TRACE_ENABLED
/* The argument of the nth event of this kind in a core's ring. */
static uint64_t argument_of(unsigned core, enum trace_event_id id, unsigned nth)
{
    const struct trace_ring *ring = &host_cores[core].ring;

    for (const struct trace_record *record = ring->records; record < ring->next; record++) {
        if ((uint16_t)record->event_arg == id && nth-- == 0) {
            return record->event_arg >> 16;
        }
    }
    return UINT64_MAX;
}

TEST(a_lock_is_told_by_the_level_and_the_number_of_its_domain)
{
    const enum trace_event_id kinds[] = { TRACE_LOCK_REQUEST, TRACE_LOCK_ACQUIRE, TRACE_LOCK_RELEASE };

    init();
    start_core(2);
    host_become(0);
    down_as(0, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_SYSTEM);
    down_as(2, PSCI_ID_64(PSCI_CPU_SUSPEND), SUSPEND_SYSTEM);
    for (unsigned kind = 0; kind < 3; kind++) {
        CHECK_EQUAL(argument_of(0, kinds[kind], 0), 1ULL << 16 | 0);
        CHECK_EQUAL(argument_of(0, kinds[kind], 1), 2ULL << 16 | 2);
        CHECK_EQUAL(argument_of(2, kinds[kind], 0), 1ULL << 16 | 1);
    }
    CHECK_EQUAL(argument_of(0, TRACE_ENTER_CFLUSH, 0), 1);
    CHECK_EQUAL(argument_of(0, TRACE_EXIT_CFLUSH, 0), 1);
    CHECK_EQUAL(argument_of(0, TRACE_ENTER_POWER_MESSAGE, 0), 1);
    CHECK_EQUAL(argument_of(0, TRACE_ENTER_HW_LOW_PWR, 0), 1);
    CHECK_EQUAL(argument_of(2, TRACE_ENTER_HW_LOW_PWR, 0), 2);
    CHECK_EQUAL(argument_of(2, TRACE_EXIT_POWER_MESSAGE, 0), 2);
}
#endif

TEST(a_domain_that_is_wanted_while_it_goes_down_stays_on_and_with_it_what_is_above)
{
    const struct psci_core *core = &psci.cores[0];

    init();
    CHECK_EQUAL(psci_settle_down(core, (enum psci_level)2), 2);
    psci.domains[2].wanted.value = true;
    CHECK_EQUAL(psci_settle_down(core, (enum psci_level)2), 1);
    psci.domains[0].wanted.value = true;
    CHECK_EQUAL(psci_settle_down(core, (enum psci_level)2), PSCI_LEVEL_CORE);
    psci_publish_down(core, (enum psci_level)2, (enum psci_level)1);
    CHECK_EQUAL(psci.domains[0].state.value, PSCI_DOMAIN_DOWN);
    CHECK_EQUAL(psci.domains[2].state.value, PSCI_DOMAIN_ON);
}

TEST(years_of_residency_do_not_overflow)
{
    const struct host_machine fast = { .hz = 1000000000 };

    fake_init(&fake_juno, &fast);
    psci.cores[1].stat[PSCI_OFF].residency_ticks = 10ULL * 365 * 24 * 3600 * 1000000000ULL;
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_STAT_RESIDENCY), fake_mpidr(1), SUSPEND_CORE, 0), 10LL * 365 * 24 * 3600 * 1000000);
}

TEST(system_off_and_the_resets_end_in_the_platform_and_unknown_resets_in_an_error)
{
    init();
    CHECK_EQUAL(fake_call(PSCI_SYSTEM_OFF, 0, 0, 0, NULL), HOST_DOWN);
    CHECK_EQUAL(fake_seen.system_offs, 1);
    init();
    CHECK_EQUAL(fake_call(PSCI_SYSTEM_RESET, 0, 0, 0, NULL), HOST_DOWN);
    CHECK_EQUAL(fake_seen.system_resets, 1);
    init();
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_RESET2), 1, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_RESET2), 0x80000000U, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_call(PSCI_ID_64(PSCI_SYSTEM_RESET2), 0, 0, 0, NULL), HOST_DOWN);
    CHECK_EQUAL(fake_seen.system_resets, 1);
}

TEST(system_off2_is_hibernate_off_by_either_of_its_names_and_refuses_everything_else)
{
    const uint32_t ids[] = { PSCI_SYSTEM_OFF2, PSCI_ID_64(PSCI_SYSTEM_OFF2) };

    for (unsigned form = 0; form < 2; form++) {
        for (uint64_t type = 0; type < 2; type++) {
            init();
            CHECK_EQUAL(fake_call(ids[form], type, 0, 0, NULL), HOST_DOWN);
            CHECK_EQUAL(fake_seen.system_offs, 1);
        }
        init();
        CHECK_EQUAL(fake_returns(ids[form], 2, 0, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_returns(ids[form], 3, 0, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_returns(ids[form], 0x80000001U, 0, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_returns(ids[form], 0, 1, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_returns(ids[form], 1, 1, 0), PSCI_INVALID_PARAMETERS);
        CHECK_EQUAL(fake_seen.system_offs, 0);
    }
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_SYSTEM_OFF2), 1, 1ULL << 32, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_call(PSCI_SYSTEM_OFF2, 1, 1ULL << 32, 0, NULL), HOST_DOWN);
}

TEST(a_reset_says_whether_every_other_core_is_off)
{
    static const enum psci_core_state states[] = { PSCI_CORE_ON,        PSCI_CORE_ON_PENDING, PSCI_CORE_IN_RETENTION,
                                                   PSCI_CORE_SUSPENDED, PSCI_CORE_FLUSHED,    PSCI_CORE_SUSPENDING };
    const uint32_t calls[] = { PSCI_SYSTEM_RESET, PSCI_SYSTEM_RESET2 };

    for (unsigned call = 0; call < 2; call++) {
        init();
        CHECK_EQUAL(fake_call(calls[call], 0, 0, 0, NULL), HOST_DOWN);
        CHECK_EQUAL(fake_seen.resets_alone, 1);
        for (unsigned state = 0; state < sizeof(states) / sizeof(states[0]); state++) {
            init();
            psci.cores[5].state.value = states[state];
            CHECK_EQUAL(fake_call(calls[call], 0, 0, 0, NULL), HOST_DOWN);
            CHECK_EQUAL(fake_seen.resets_alone, 0);
        }
    }
}

TEST(mem_protect_returns_the_former_setting_and_check_range_knows_the_normal_worlds_memory)
{
    init();
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT, 1, 0, 0), 0);
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT, 0, 0, 0), 1);
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT, 2, 0, 0), PSCI_INVALID_PARAMETERS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), FAKE_NS_BASE, FAKE_NS_BYTES, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), FAKE_NS_BASE, FAKE_NS_BYTES + 1, 0), PSCI_DENIED);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), FAKE_NS_BASE, 0, 0), PSCI_DENIED);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), FAKE_NS_BASE, UINT64_MAX, 0), PSCI_DENIED);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), UINT64_MAX, 2, 0), PSCI_DENIED);
}

TEST(a_platform_that_cannot_protect_memory_says_so)
{
    init();
    struct psci_platform without = *psci.platform;

    without.mem_protect = NULL;
    psci.platform = &without;
    CHECK_EQUAL(fake_returns(PSCI_FEATURES, PSCI_MEM_PROTECT, 0, 0), PSCI_NOT_SUPPORTED);
    CHECK_EQUAL(fake_returns(PSCI_FEATURES, PSCI_MEM_PROTECT_CHECK_RANGE, 0, 0), PSCI_NOT_SUPPORTED);
    CHECK_EQUAL(fake_returns(PSCI_FEATURES, PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), 0, 0), PSCI_NOT_SUPPORTED);
    CHECK_EQUAL(fake_returns(PSCI_FEATURES, PSCI_SYSTEM_RESET2, 0, 0), PSCI_SUCCESS);
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT, 1, 0, 0), PSCI_NOT_SUPPORTED);
    CHECK_EQUAL(fake_returns(PSCI_MEM_PROTECT_CHECK_RANGE, FAKE_NS_BASE, 1, 0), PSCI_NOT_SUPPORTED);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_MEM_PROTECT_CHECK_RANGE), FAKE_NS_BASE, 1, 0), PSCI_NOT_SUPPORTED);
}
