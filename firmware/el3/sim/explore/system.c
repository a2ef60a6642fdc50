/* SPDX-License-Identifier: BSD-3-Clause */
#include "system.h"

#include <string.h>

#include "controller.h"
#include "host_private.h"
#include "interrupts.h"
#include "locked.h"
#include "movers.h"
#include "parked.h"
#include "psci_private.h"
#include "stores.h"

static uint16_t domain_of_core[PSCI_MAX_CORES];
static struct psci_domain_shape shapes[PSCI_MAX_DOMAINS];
static unsigned chosen;
static bool only_wakes;   /* the step ends where the core makes its first access */
static bool is_committed; /* the step has come to what does not move: only what moves to the left still joins it */

/* Called where a core is about to do something that others can see. */
static uint64_t note_access(unsigned core, enum host_operation operation, const void *object, uint64_t arg)
{
    if (operation != HOST_COUNTER && operation != HOST_RELAX && operation != HOST_LOCK_HANDOVER) {
        system_state.next[core] = (struct access){ operation, object, arg };
    }
    stores_hold_back(core);
    return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 29;
}

/* It has nothing on its stack that is still needed: it starts from the bottom if it ever runs again, or looks at its word again. */
static bool has_no_stack(unsigned core)
{
    enum host_wait wait = host_cores[core].wait;

    return wait == HOST_OFF || wait == HOST_FINISHED || (wait == HOST_IN_STANDBY && system_state.sleeps_off[core]);
}

/* Of the words in use. */
static uint64_t hash_stack(unsigned core)
{
    uint64_t even = 1;
    uint64_t odd = 2;
    size_t all;
    const uint8_t *stack = host_stack(core, &all);
    const uint64_t *end = (const uint64_t *)(const void *)(stack + all);
    const uint64_t *word = host_cores[core].coroutine.stack_pointer;

    if (has_no_stack(core)) {
        return even;
    }
    for (; word + 1 < end; word += 2) {
        even = mix(even, word[0]);
        odd = mix(odd, word[1]);
    }
    return mix(mix(even, odd), word < end ? *word : 0);
}

static bool is_free(const struct access *access)
{
    const struct arch_lock *lock = access->object;

    return lock->holder == 0;
}

static bool joins_step(unsigned core)
{
    const struct access *access = &system_state.next[core];

    if (system_setup.every_access || only_wakes) {
        return false;
    }
    switch (mover_of(core, access)) {
    case MOVES_RIGHT:
        return !is_committed && is_free(access);
    case MOVES_BOTH:
    case MOVES_LEFT:
        return true;
    default:
        return !is_committed;
    }
}

/* NULL, or the rule that the access breaks. */
static const char *make_access(unsigned core)
{
    const struct access *access = &system_state.next[core];
    const char *fault = access_fault(core, access);
    enum mover mover = mover_of(core, access);

    is_committed = is_committed || mover == MOVES_LEFT || mover == MOVES_NOWHERE;
    access_made(core, access);
    if (access->operation == HOST_LOCK_ACQUIRE) {
        locked_take(access->object);
    }
    if (system_on_access != NULL) {
        system_on_access(core, access);
    }
    return fault;
}

static unsigned next(unsigned current)
{
    if (current == HOST_NOBODY) {
        return chosen;
    }
    if (!host_runs(current) || !joins_step(current)) {
        return HOST_NOBODY;
    }
    const char *fault = make_access(current);

    if (fault != NULL) {
        host_fail("%s", fault);
    }
    return current;
}

static unsigned lock_rank(const struct arch_lock *lock)
{
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        if (lock == &psci.domains[domain].lock) {
            return (unsigned)psci.domains[domain].level;
        }
    }
    host_fail("takes a lock that is no domain's");
}

static void add_domains(void)
{
    unsigned first = 0;

    for (unsigned cluster = 0; cluster < system_setup.clusters; cluster++) {
        shapes[cluster] = (struct psci_domain_shape){ (enum psci_level)1, (uint16_t)system_setup.clusters, (uint16_t)first,
                                                      (uint16_t)system_setup.cluster_cores[cluster] };
        for (unsigned core = 0; core < system_setup.cluster_cores[cluster]; core++) {
            domain_of_core[first++] = (uint16_t)cluster;
        }
    }
    shapes[system_setup.clusters] = (struct psci_domain_shape){ (enum psci_level)2, PSCI_NO_DOMAIN, 0, (uint16_t)system_setup.cores };
    system_topology = (struct psci_topology){ (uint16_t)system_setup.cores, (uint16_t)(system_setup.clusters + 1U), (enum psci_level)2, domain_of_core, shapes };
}

/* Every core on as after CPU_ON, without the calls: the exploration begins here. */
static void switch_all_on(void)
{
    for (unsigned core = 1; core < system_setup.cores; core++) {
        if (system_setup.programs[core][0] == '-') {
            system_state.position[core] = 1;
            system_state.in_call[core] = true; /* as after CPU_OFF */
            continue;
        }
        psci.cores[core].state.value = PSCI_CORE_ON_PENDING;
        psci.cores[core].entry.address = SYSTEM_ENTRY;
        host_warm_boot(core);
        host_cores[core].cold = true;
    }
}

static uint32_t cores_off(void)
{
    uint32_t off = 0;

    for (unsigned core = 0; core < system_setup.cores; core++) {
        off |= (uint32_t)(system_setup.programs[core][0] == '-') << core;
    }
    return off;
}

/* Twice for one interrupt that nobody takes off the list is for ever, or until somebody switches the core on. */
static bool falls_through(unsigned core)
{
    uint8_t *fell_through = &interrupts_state.cores[core].fell_through;
    bool wakes = interrupts_signalled(core);

    if (core != host_self() || !system_state.sleeps_off[core]) {
        return wakes;
    }
    *fell_through = wakes ? *fell_through + 1U : 0;
    if (*fell_through > 1U) {
        host_fail("is off and does not sleep: what woke it stays pending");
    }
    return wakes;
}

void system_start(void)
{
    struct host_machine machine = {
        .cores = system_setup.cores,
        .hz = 1000000000,
        .next = next,
        .cost_ticks = note_access,
        .normal_world = system_normal_world,
        .lock_rank = lock_rank,
    };

    if (interrupts_setup.version != 0) {
        machine.sleep = parked_sleep;
        machine.is_interrupted = falls_through;
    }

    add_domains();
    memset(&system_state, 0, sizeof(system_state));
    host_init(&machine, 0);
    for (unsigned core = 0; core < system_setup.cores; core++) {
        host_cores[core].now_ticks = 1;
    }
    psci_init(controller_begin(cores_off()), 0);
    arch_shared_store(&psci.suspend_mode, system_setup.os_initiated ? PSCI_OS_INITIATED : PSCI_PLATFORM_COORDINATED);
    switch_all_on();
    stores_begin();
    for (unsigned core = 0; core < system_setup.cores; core++) {
        system_state.next[core].operation = HOST_OPERATIONS;
        system_state.stack_hash[core] = hash_stack(core);
    }
}

/*
 * An interrupt that comes early stays pending and is looked at where the core stops: so it makes a difference only there,
 * just before it stops (the core never does, and nothing is cut) and after.
 */
static bool may_interrupt(unsigned core)
{
    const struct access *access = &system_state.next[core];
    enum host_wait wait = host_cores[core].wait;
    bool stops_next = psci.cores[core].state.value == PSCI_CORE_FLUSHED && access->object == &psci.cores[core].state;
    bool stands_by = wait == HOST_RUNS && access->operation == HOST_INTERRUPT_WAIT;

    return system_state.armed[core] && (wait == HOST_SUSPENDED || wait == HOST_IN_STANDBY || stops_next || stands_by);
}

/* Without order of arrival, a core that asks for a lock just goes on when the lock is free. */
static bool may_run(unsigned core)
{
    const struct access *access = &system_state.next[core];

    return host_runs(core) && (system_setup.every_access || access->operation != HOST_LOCK_ACQUIRE || is_free(access));
}

unsigned system_choices(unsigned *choices)
{
    unsigned count = 0;

    for (unsigned core = 0; core < system_setup.cores; core++) {
        if (may_run(core)) {
            choices[count++] = core;
        }
        if (may_interrupt(core)) {
            choices[count++] = system_setup.cores + core;
        }
        if (stores_held(core)) {
            choices[count++] = 2U * system_setup.cores + core;
        }
    }
    return count;
}

static const char *run(unsigned core)
{
    const char *fault;

    chosen = core;
    if (!host_run()) {
        return host_violation();
    }
    stores_hold_back(core);
    if (!host_runs(core)) {
        system_state.next[core].operation = HOST_OPERATIONS;
    }
    system_state.stack_hash[core] = hash_stack(core);
    controller_cut_domains();
    fault = locked_fault(core);
    return fault != NULL ? fault : controller_fault();
}

/* What a core does between its wake-up and its next access is its own business. */
static const char *interrupt(unsigned core)
{
    bool wakes = !host_runs(core);

    system_state.armed[core] = false;
    if (interrupts_setup.version != 0) {
        interrupts_timer(core);
        wakes = wakes && host_runs(core);
    } else {
        host_interrupt(core);
    }
    if (!wakes || system_setup.every_access) {
        return NULL;
    }
    only_wakes = true;
    locked_begin(core);
    const char *fault = run(core);

    only_wakes = false;
    return fault;
}

const char *system_step(unsigned choice)
{
    if (choice >= 2U * system_setup.cores) {
        stores_drain(choice - 2U * system_setup.cores);
        return NULL;
    }
    if (choice >= system_setup.cores) {
        return interrupt(choice - system_setup.cores);
    }
    is_committed = false;
    locked_begin(choice);
    if (system_state.next[choice].operation != HOST_OPERATIONS) {
        const char *fault = make_access(choice);

        if (fault != NULL) {
            return fault;
        }
    }
    return run(choice);
}

const char *system_rest_fault(void)
{
    for (unsigned core = 0; core < system_setup.cores; core++) {
        enum host_wait wait = host_cores[core].wait;

        if (wait != HOST_FINISHED && wait != HOST_OFF && !system_state.sleeps_off[core]) {
            return "a core waits for ever: a deadlock or a lost wake-up";
        }
        if (wait != HOST_FINISHED && psci.cores[core].state.value == PSCI_CORE_ON_PENDING) {
            return "a core that was switched on never came";
        }
    }
    return NULL;
}

static uint64_t hash_core(uint64_t hash, unsigned index)
{
    const struct host_core *core = &host_cores[index];
    bool event = core->events_seen != host_events && core->wait != HOST_FINISHED;
    uint32_t queue_next = core->wait == HOST_IN_LOCK ? core->queue_next : 0;

    hash = mix(hash, (uint64_t)core->wait | (uint64_t)core->caches_on << 8 | (uint64_t)event << 9 | (uint64_t)core->interrupt << 10 |
                         (uint64_t)core->wanted_on << 11 | (uint64_t)core->cold << 12 | (uint64_t)core->keeps_locks << 13 |
                         (uint64_t)core->locks_held << 16 | (uint64_t)core->ranks_held << 24 | (uint64_t)queue_next << 32);
    for (unsigned i = 0; i < core->kept_count; i++) {
        hash = mix(hash, (uint64_t)(uintptr_t)core->kept[i]);
    }
    if (core->wait == HOST_IN_RELAX) {
        hash = mix(hash, (uint64_t)(uintptr_t)core->watched);
    }
    return mix(mix(mix(hash, psci.cores[index].state.value), psci.cores[index].vote.running), psci.cores[index].vote.retention);
}

static uint64_t hash_domain(uint64_t hash, const struct psci_domain *domain)
{
    uint32_t queue_tail = domain->lock.queue_head != 0 ? domain->lock.queue_tail : 0;

    hash = mix(hash, (uint64_t)domain->state.value << 8 | domain->wanted.value << 4 | (unsigned)domain->local);
    hash = mix(hash, (uint64_t)domain->lock.holder << 32 | domain->lock.queue_head << 8 | queue_tail);
    return mix(mix(mix(mix(hash, domain->running), domain->retention), domain->vote.running), domain->vote.retention);
}

/* Two states with the same hash are taken for one: all that psci, the cores and their stacks hold, but no times and statistics. */
uint64_t system_hash(void)
{
    uint64_t hash = 1U + psci.suspend_mode.value;

    if (interrupts_setup.version != 0) {
        hash = parked_hash(interrupts_hash(hash, mix), mix);
    }

    for (unsigned core = 0; core < system_setup.cores; core++) {
        hash = mix(hash_core(hash, core), system_state.stack_hash[core]);
        hash = mix(hash, psci.cores[core].entry.context_id << 32 | system_state.granted[core]);
        hash = mix(hash, system_state.held[core].entry.context_id << 32 | (uint64_t)system_state.held[core].target << 1 | system_state.sleeps_off[core]);
        hash = mix(hash, (uint64_t)system_state.position[core] << 8 | (uint64_t)system_state.armed[core] | (uint64_t)system_state.in_call[core] << 1 |
                             (uint64_t)system_state.is_up[core] << 2 | (uint64_t)system_state.read_mode[core] << 4 |
                             (uint64_t)system_state.refusal[core] << 6);
    }
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        hash = hash_domain(hash, &psci.domains[domain]);
        hash = mix(hash, (uint64_t)system_state.owner[domain] << 8 | (uint64_t)system_state.is_cut[domain] << 1 | system_state.has_last_man[domain]);
    }
    return hash;
}
