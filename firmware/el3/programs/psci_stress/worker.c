/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <stdatomic.h>

#include "core.h"
#include "interrupts.h"
#include "ledger.h"
#include "panic.h"
#include "power_states.h"
#include "psci.h"
#include "random.h"
#include "smc.h"
#include "suspend.h"
#include "timer.h"
#include "watchdog.h"

#define PERCENT_SUSPEND 60
#define PERCENT_ON 25
#define SLEEP_MIN_US 5
#define SLEEP_SPREAD_US 500
#define STACK_WORDS 16
#define HOT_TARGET_TRANSITIONS 8
/* Calls and wake-ups that start on this grid meet those of other cores. */
#define GRID_US 200UL
#define DELAY_SHORT_US 50
#define DELAY_LONG_US 4000
#define CONTEXT_ID_MAGIC 0x4c34000000000000UL

struct worker {
    _Alignas(64) struct random random;
};

static struct worker workers[MAX_CORES];
static bool delayed;
static _Atomic uint64_t transitions;
static _Atomic uint64_t departures;
static _Atomic uint32_t stopping;

void worker_init(uint64_t seed, bool delays)
{
    delayed = delays;
    for (uint32_t i = 0; i < MAX_CORES; i++) {
        workers[i].random.state = seed * MAX_CORES + i;
    }
}

uint64_t worker_transitions(void)
{
    return atomic_load(&transitions);
}

void worker_stop(void)
{
    atomic_store(&stopping, 1);
}

static void count_transition(void)
{
    atomic_fetch_add(&transitions, 1);
}

static void wait_us(uint64_t us)
{
    uint64_t end = timer_now() + timer_ticks_of_us(us);

    while (timer_now() < end)
        ;
}

/* Where a core's host may stop it: around every call, most of the time not at all, now and then for milliseconds. */
static void meet(struct random *random)
{
    uint32_t chance = delayed ? random_below(random, 32) : UINT32_MAX;

    if (chance == 0) {
        wait_us(random_below(random, DELAY_LONG_US));
    } else if (chance < 8) {
        wait_us(random_below(random, DELAY_SHORT_US));
    }
}

static void check_wakeup(uint32_t self, uint64_t context_id, struct suspend_result r, uint32_t power_state,
                         const volatile uint64_t *stack_words)
{
    if (r.status != PSCI_SUCCESS && !power_states_may_be_refused(power_state, r.status)) {
        panic("CPU_SUSPEND %08x returned %ld", power_state, r.status);
    }
    if (core_self() != self) {
        panic("core %u woke up as core %u", self, core_self());
    }
    if (r.resumed && r.context_id != context_id) {
        panic("CPU_SUSPEND %08x came back with context_id %lx instead of %lx", power_state, r.context_id, context_id);
    }
    for (uint64_t i = 0; i < STACK_WORDS; i++) {
        if (stack_words[i] != context_id + i) {
            panic("CPU_SUSPEND %08x changed the stack at %lx", power_state, (uint64_t)&stack_words[i]);
        }
    }
}

static uint64_t next_on_grid(uint64_t ticks)
{
    uint64_t grid = timer_ticks_of_us(GRID_US);

    return (ticks / grid + 1) * grid;
}

static void wait_for_grid(void)
{
    uint64_t start = next_on_grid(timer_now());

    while (timer_now() < start)
        ;
}

/* One in sixteen has passed already. */
static uint64_t choose_deadline(struct random *random)
{
    if (random_below(random, 16) == 0) {
        return timer_now();
    }
    uint64_t deadline = timer_now() + timer_ticks_of_us(SLEEP_MIN_US + random_below(random, SLEEP_SPREAD_US));

    return random_below(random, 2) == 0 ? deadline : next_on_grid(deadline);
}

static void suspend(uint32_t self, struct random *random)
{
    uint32_t power_state = power_states_get(random_below(random, power_states_count()));
    uint64_t context_id = CONTEXT_ID_MAGIC | (uint64_t)self << 32 | (random_next(random) >> 32);
    volatile uint64_t stack_words[STACK_WORDS];
    struct suspend_result r;
    uint32_t entered = interrupts_enter(random);

    for (uint64_t i = 0; i < STACK_WORDS; i++) {
        stack_words[i] = context_id + i;
    }
    watchdog_enter(ACTIVITY_CPU_SUSPEND, power_state);
    timer_start_at(choose_deadline(random));
    meet(random);
    r = psci_cpu_suspend(power_state, context_id);
    meet(random);
    timer_stop();
    interrupts_leave(entered);
    watchdog_enter(ACTIVITY_BETWEEN_CALLS, 0);
    check_wakeup(self, context_id, r, power_state, stack_words);
    count_transition();
}

/* Half of them go for the same core as everybody else's, so that callers race. */
static uint32_t choose_target(struct random *random)
{
    if (random_below(random, 2) == 0) {
        return random_below(random, core_count);
    }
    return (uint32_t)(worker_transitions() / HOT_TARGET_TRANSITIONS % core_count);
}

static void start_another(uint32_t self, struct random *random)
{
    uint32_t target = choose_target(random);
    int64_t status;

    if (target == self) {
        return;
    }
    watchdog_enter(ACTIVITY_CPU_ON, cores[target].mpidr);
    meet(random);
    status = psci_cpu_on(cores[target].mpidr, (uint64_t)payload_secondary, ledger_offer(self, target));
    meet(random);
    watchdog_enter(ACTIVITY_BETWEEN_CALLS, 0);
    if (status == PSCI_SUCCESS) {
        ledger_grant(self, target);
        count_transition();
        return;
    }
    if (status != PSCI_ALREADY_ON && status != PSCI_ON_PENDING) {
        panic("CPU_ON of core %u.%u returned %ld", cores[target].cluster, cores[target].core, status);
    }
}

/* Returns true where the core is to go off. */
static bool step(void)
{
    uint32_t self = core_self();
    struct random *random = &workers[self].random;
    uint32_t percent = random_below(random, 100);

    watchdog_check();
    interrupts_send(random);
    if (random_below(random, 2) == 0) {
        wait_for_grid();
    }
    if (percent < PERCENT_SUSPEND) {
        suspend(self, random);
    } else if (percent < PERCENT_SUSPEND + PERCENT_ON) {
        start_another(self, random);
    } else {
        return true;
    }
    return false;
}

void worker_step(void)
{
    step();
}

void worker_start_another(void)
{
    uint32_t self = core_self();

    start_another(self, &workers[self].random);
}

bool worker_all_others_left(void)
{
    uint64_t arrived = 0;

    for (uint32_t i = 0; i < core_count; i++) {
        arrived += ledger_arrived(i);
    }
    return atomic_load(&departures) == arrived;
}

void worker_arrival(uint64_t context_id)
{
    struct random *random = &workers[core_self()].random;

    watchdog_enter(ACTIVITY_BETWEEN_CALLS, 0);
    interrupts_arrive();
    ledger_arrive(context_id);
    while (!atomic_load(&stopping)) {
        if (step()) {
            count_transition();
            break;
        }
    }
    watchdog_enter(ACTIVITY_OFF, 0);
    interrupts_enter_for_good(random);
    if (random_below(random, 4) == 0) {
        interrupts_past_timer(random);
    }
    atomic_fetch_add(&departures, 1);
    meet(random);
}
