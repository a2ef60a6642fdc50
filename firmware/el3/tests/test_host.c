/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of the tests itself: what breaks its rules is found. */
#include <string.h>

#include "fake_platform.h"
#include "harness.h"
#include "psci_private.h"

static void (*body)(unsigned core);

static void normal_world(unsigned core, uint64_t context_id)
{
    (void)context_id;
    body(core);
}

static unsigned round_robin(unsigned current)
{
    unsigned start = current == HOST_NOBODY ? 0 : current + 1U;

    for (unsigned i = 0; i < fake_topology->cores; i++) {
        unsigned core = (start + i) % fake_topology->cores;

        if (host_runs(core)) {
            return core;
        }
    }
    return HOST_NOBODY;
}

static const struct host_machine machine = { .next = round_robin, .normal_world = normal_world };

static void check_breaks(void (*program)(unsigned core), const char *because)
{
    fake_init(&fake_juno, &machine);
    body = program;
    CHECK(!host_run());
    CHECK(strstr(host_violation(), because) != NULL);
}

static struct arch_lock *low(void)
{
    return &psci.domains[0].lock;
}

static struct arch_lock *high(void)
{
    return &psci.domains[2].lock;
}

static void takes_twice(unsigned core)
{
    (void)core;
    arch_lock_acquire(low());
    arch_lock_acquire(low());
}

static void releases_unheld(unsigned core)
{
    (void)core;
    arch_lock_release(low());
}

static void takes_downwards(unsigned core)
{
    (void)core;
    arch_lock_acquire(high());
    arch_lock_acquire(low());
}

static void waits_with_lock(unsigned core)
{
    (void)core;
    arch_lock_acquire(low());
    arch_event_wait();
}

static void sleeps_with_lock(unsigned core)
{
    (void)core;
    arch_lock_acquire(low());
    arch_interrupt_wait();
}

static void flushes_with_lock(unsigned core)
{
    (void)core;
    arch_lock_acquire(low());
    arch_cache_power_down(0);
}

static void hooks_with_lock(unsigned core)
{
    (void)core;
    arch_lock_acquire(low());
    psci.platform->mem_protect(true);
}

static void locks_uncached(unsigned core)
{
    (void)core;
    arch_cache_power_down(0);
    arch_lock_acquire(low());
}

static void swaps_uncached(unsigned core)
{
    arch_cache_power_down(0);
    arch_shared_compare_swap(&psci.cores[core].state, 0, 1);
}

static void comes_up_awake(unsigned core)
{
    psci_coordinate_up(&psci.cores[core]);
}

static void goes_down_for_another(unsigned core)
{
    psci_power_down(&psci.cores[core + 1U], PSCI_LEVEL_CORE, true);
}

static void votes_without_a_vote(unsigned core)
{
    psci.cores[core].domain->running = 0;
    psci_coordinate_down(&psci.cores[core], &psci.off);
}

static void stops_cached(unsigned core)
{
    host_power_down(core, false);
}

TEST(a_lock_taken_twice_breaks_the_run) { check_breaks(takes_twice, "takes a lock that it holds"); }
TEST(a_lock_released_by_who_does_not_hold_it_breaks_the_run) { check_breaks(releases_unheld, "does not hold"); }
TEST(locks_taken_from_the_top_down_break_the_run) { check_breaks(takes_downwards, "of rank 1 while it holds one of that rank or above"); }
TEST(a_wait_for_an_event_with_a_lock_held_breaks_the_run) { check_breaks(waits_with_lock, "wait for an event with a lock held"); }
TEST(a_standby_with_a_lock_held_breaks_the_run) { check_breaks(sleeps_with_lock, "wait for an interrupt with a lock held"); }
TEST(cache_maintenance_with_a_lock_held_breaks_the_run) { check_breaks(flushes_with_lock, "cache maintenance with a lock held"); }
TEST(a_platform_hook_with_a_lock_held_breaks_the_run) { check_breaks(hooks_with_lock, "platform hook with a lock held"); }
TEST(a_lock_taken_with_caches_off_breaks_the_run) { check_breaks(locks_uncached, "takes a lock with its caches off"); }
TEST(a_swap_with_caches_off_breaks_the_run) { check_breaks(swaps_uncached, "swaps with its caches off"); }
TEST(a_core_that_has_its_votes_comes_up_and_breaks_the_run) { check_breaks(comes_up_awake, "requirement does not hold: core->vote.running"); }
TEST(a_power_down_of_another_core_breaks_the_run) { check_breaks(goes_down_for_another, "requirement does not hold: core == psci_self()"); }
TEST(a_vote_that_no_domain_counted_breaks_the_run) { check_breaks(votes_without_a_vote, "requirement does not hold: has_counted"); }
TEST(a_power_down_with_caches_on_breaks_the_run) { check_breaks(stops_cached, "caches on"); }

static unsigned order[4];
static unsigned arrivals;

static void queues(unsigned core)
{
    if (core == 0) {
        arch_lock_acquire(low());
        for (unsigned other = 1; other <= 3; other++) {
            fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(other), FAKE_ENTRY, 0, NULL);
        }
    }
}

static void queues_in_order(unsigned core)
{
    if (core == 0) {
        for (unsigned other = 1; other <= 3; other++) {
            fake_call(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(other), FAKE_ENTRY, 0, NULL);
        }
    }
    for (unsigned i = 0; i < 100 * (core + 1); i++) {
        host_point(HOST_PLATFORM, NULL, 0);
    }
    arch_lock_acquire(low());
    order[arrivals++] = core;
    host_point(HOST_PLATFORM, NULL, 0);
    arch_lock_release(low());
}

TEST(a_call_made_with_a_lock_held_breaks_the_run_at_the_first_hook) { check_breaks(queues, "with a lock held"); }

TEST(cores_that_wait_for_a_lock_get_it_in_the_order_in_which_they_came)
{
    fake_init(&fake_juno, &machine);
    body = queues_in_order;
    arrivals = 0;
    CHECK(host_run());
    CHECK_EQUAL(arrivals, 4);
    CHECK_EQUAL(order[0], 0);
    CHECK_EQUAL(psci.domains[0].lock.holder, 0);
}

static unsigned starts;

static void goes_off_and_on(unsigned core)
{
    if (core == 1) {
        starts++;
        fake_call(PSCI_CPU_OFF, 0, 0, 0, NULL);
    }
    for (unsigned i = 0; i < 1000; i++) {
        while (fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(1), FAKE_ENTRY, 0) != PSCI_SUCCESS) {
        }
    }
}

TEST(a_core_that_goes_off_starts_anew_each_time_on_the_same_stack)
{
    fake_init(&fake_juno, &machine);
    body = goes_off_and_on;
    starts = 0;
    CHECK(host_run());
    CHECK_EQUAL(starts, 1000);
    CHECK_EQUAL(host_cores[1].wait, HOST_OFF);
}
