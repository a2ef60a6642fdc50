/* SPDX-License-Identifier: BSD-3-Clause */
/* Many cores at once, in random interleavings at every access that another core can see. */
#include <stdio.h>

#include "fake_platform.h"
#include "harness.h"
#include "psci_private.h"

#define CALLS_PER_CORE 60U
#define SCHEDULES 150U

static unsigned done[HOST_MAX_CORES];
static unsigned most_events;
static bool os_initiated;

/* Any core that can run; if none can, the interrupts that are still to come come now. */
static unsigned any(unsigned current)
{
    unsigned cores = fake_topology->cores;
    unsigned first = (unsigned)(harness_random() % cores);

    (void)current;
    if (harness_random() % 16 == 0) {
        host_interrupt((unsigned)(harness_random() % cores));
    }
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < cores; i++) {
            if (host_runs((first + i) % cores)) {
                return (first + i) % cores;
            }
        }
        for (unsigned core = 0; core < cores; core++) {
            host_interrupt(core);
        }
    }
    return HOST_NOBODY;
}

static void note_events(const struct trace_ring *ring, const struct trace_record *before)
{
    unsigned events = (unsigned)(ring->next > before ? ring->next - before : 0);

    most_events = events > most_events ? events : most_events;
    if (events > TRACE_SLACK) {
        host_fail("a call left %u events, more than the slack", events);
    }
}

static uint32_t random_power_state(void)
{
    static const uint32_t states[] = {
        0x00000001, 0x00010002, 0x01000011, 0x01010012, 0x01010022, 0x02000111, 0x02010112, 0x02010122, 0x02010222,
    };

    return states[harness_random() % (sizeof(states) / sizeof(states[0]))] | (os_initiated ? 0x2000U : 0);
}

static void random_call(unsigned core)
{
    unsigned other = (unsigned)(harness_random() % fake_topology->cores);
    const struct trace_record *before = host_ring()->next;
    int64_t result;

    switch (harness_random() % 8) {
    case 0:
        fake_call(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(other), harness_random() % 3, 0, &result);
        if (other == core && result != PSCI_CORE_ON) {
            host_fail("AFFINITY_INFO says %lld of the core that asks", (long long)result);
        }
        break;
    case 1:
        fake_call(PSCI_ID_64(PSCI_NODE_HW_STATE), fake_mpidr(core), harness_random() % 3, 0, &result);
        if (result != 0) {
            host_fail("NODE_HW_STATE says %lld of a domain of the core that asks", (long long)result);
        }
        break;
    case 2:
    case 3:
        fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(other), FAKE_ENTRY, other, &result);
        break;
    case 4:
        if (core != 0 && harness_random() % 4 == 0) {
            fake_call(PSCI_CPU_OFF, 0, 0, 0, NULL);
        }
        break;
    default:
        fake_call(PSCI_ID_64(PSCI_CPU_SUSPEND), random_power_state(), FAKE_ENTRY, core, &result);
        if (psci.cores[core].state.value != PSCI_CORE_ON) {
            host_fail("back in the normal world in state %u", psci.cores[core].state.value);
        }
        break;
    }
    note_events(host_ring(), before);
}

static void normal_world(unsigned core, uint64_t context_id)
{
    if (context_id != core) {
        host_fail("started with the context of core %llu", (unsigned long long)context_id);
    }
    while (done[core] < CALLS_PER_CORE) {
        done[core]++;
        random_call(core);
    }
}

static const struct fake_shape shapes[] = {
    { .clusters = 2, .cores = { 2, 4 } },
    { .clusters = 2, .cores = { 2, 2 } },
    { .clusters = 4, .cores = { 1, 2, 2, 1 }, .clusters_per_group = 2 },
};

static void check_at_rest(void)
{
    for (unsigned core = 0; core < fake_topology->cores; core++) {
        CHECK(host_cores[core].wait == HOST_FINISHED || host_cores[core].wait == HOST_OFF);
        CHECK_EQUAL(psci.cores[core].state.value, host_cores[core].wait == HOST_OFF ? PSCI_CORE_OFF : PSCI_CORE_ON);
    }
    for (unsigned domain = 0; domain < fake_topology->domains; domain++) {
        const struct psci_domain_shape *shape = &fake_topology->shapes[domain];
        bool is_up = false;

        for (unsigned core = shape->first_core; core < (unsigned)shape->first_core + shape->cores; core++) {
            is_up = is_up || host_cores[core].wait == HOST_FINISHED;
        }
        CHECK_EQUAL(psci.domains[domain].lock.holder, 0);
        CHECK_EQUAL(psci.domains[domain].state.value, is_up ? PSCI_DOMAIN_ON : PSCI_DOMAIN_DOWN);
        CHECK_EQUAL(psci.domains[domain].local, is_up ? PSCI_RUN : PSCI_OFF);
    }
}

static void run_schedules(bool in_os_initiated_mode)
{
    static const struct host_machine machine = { .next = any, .normal_world = normal_world };

    os_initiated = in_os_initiated_mode;
    for (unsigned schedule = 0; schedule < SCHEDULES; schedule++) {
        harness_seed(schedule);
        fake_init(&shapes[schedule % 3], &machine);
        arch_shared_store(&psci.suspend_mode, in_os_initiated_mode ? PSCI_OS_INITIATED : PSCI_PLATFORM_COORDINATED);
        for (unsigned core = 0; core < HOST_MAX_CORES; core++) {
            done[core] = 0;
        }
        bool kept_the_rules = host_run();

        CHECK(kept_the_rules);
        if (!kept_the_rules) {
            printf("  schedule %u: %s\n", schedule, host_violation());
            return;
        }
        check_at_rest();
    }
}

TEST(no_interleaving_of_on_off_suspend_and_wake_up_breaks_a_rule_or_loses_a_core)
{
    run_schedules(false);
}

TEST(no_interleaving_in_os_initiated_mode_breaks_a_rule_or_loses_a_core)
{
    run_schedules(true);
}

#if TRACE_ENABLED
TEST(no_call_leaves_more_events_than_the_slack_holds)
{
    most_events = 0;
    run_schedules(false);
    CHECK(most_events > 10);
    CHECK(most_events <= TRACE_SLACK);
    printf("  at most %u events per call, slack %u\n", most_events, TRACE_SLACK);
}
#endif

static unsigned successes;
static unsigned starts;

static void all_switch_on_core_1(unsigned core, uint64_t context_id)
{
    int64_t result;

    if (core == 1) {
        starts++;
        CHECK(context_id == 100 || context_id == 102 || context_id == 103);
        fake_call(PSCI_CPU_OFF, 0, 0, 0, NULL);
    }
    if (core == 0) {
        fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(2), FAKE_ENTRY, 0, NULL);
        fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(3), FAKE_ENTRY, 0, NULL);
    }
    for (unsigned i = 0; i < 20; i++) {
        fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 100 + core, &result);
        successes += result == PSCI_SUCCESS;
        if (result != PSCI_SUCCESS && result != PSCI_ALREADY_ON && result != PSCI_ON_PENDING) {
            host_fail("CPU_ON returned %lld", (long long)result);
        }
    }
}

TEST(of_several_cores_that_race_to_switch_one_on_exactly_one_succeeds_a_time)
{
    static const struct host_machine machine = { .next = any, .normal_world = all_switch_on_core_1 };

    for (unsigned schedule = 0; schedule < 200; schedule++) {
        harness_seed(schedule);
        successes = 0;
        starts = 0;
        fake_init(&fake_juno, &machine);
        CHECK(host_run());
        CHECK(starts > 0);
        CHECK_EQUAL(starts, successes);
    }
}
