/* SPDX-License-Identifier: BSD-3-Clause */
/* The arch interface over the cores of host.c. */
#include "host_private.h"

unsigned arch_core_index(void)
{
    return host_self();
}

uint64_t arch_counter_ticks(void)
{
    host_charge(HOST_COUNTER, NULL, 0);
    return host_core_self()->now_ticks;
}

uint64_t arch_counter_hz(void)
{
    return host_machine.hz;
}

struct trace_ring *host_ring(void)
{
    return &host_core_self()->ring;
}

void host_reader_sync(const void *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    if (host_on_reader_sync != NULL) {
        host_on_reader_sync();
    }
}

void arch_event_wait(void)
{
    host_require_no_lock("wait for an event");
    host_point(HOST_EVENT_WAIT, NULL, 0);
    if (host_core_self()->events_seen == host_events) {
        host_waiters.cores[host_waiters.count++] = host_self();
        host_block(HOST_IN_EVENT);
    }
    host_core_self()->events_seen = host_events;
}

/* Sets the event register of every core. */
void arch_event_send(void)
{
    host_point(HOST_EVENT_SEND, NULL, 0);
    host_events++;
    for (unsigned i = 0; i < host_waiters.count; i++) {
        host_set_running(host_waiters.cores[i], host_core_self()->now_ticks);
    }
    host_waiters.count = 0;
}

void arch_publish(void)
{
    host_point(HOST_PUBLISH, NULL, 0);
}

/* Looks again when the word has been stored: what a loop that polls would see, without its turns. */
void arch_relax(const struct arch_shared *shared)
{
    host_require_no_lock("wait for another core");
    host_core_self()->watched = shared;
    host_watchers.cores[host_watchers.count++] = host_self();
    host_block(HOST_IN_RELAX);
    host_charge(HOST_RELAX, NULL, 0);
}

static void wake_watchers(const struct arch_shared *shared)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < host_watchers.count; i++) {
        unsigned core = host_watchers.cores[i];

        if (host_cores[core].watched == shared) {
            host_set_running(core, host_core_self()->now_ticks);
        } else {
            host_watchers.cores[kept++] = core;
        }
    }
    host_watchers.count = kept;
}

void arch_interrupt_wait(void)
{
    host_require_no_lock("wait for an interrupt");
    host_point(HOST_INTERRUPT_WAIT, NULL, 0);
    if (!host_is_interrupted()) {
        host_block(HOST_IN_STANDBY);
    }
    host_core_self()->interrupt = false;
}

void arch_cache_power_down(unsigned level)
{
    host_require_no_lock("cache maintenance");
    host_core_self()->caches_on = false;
    host_point(HOST_CACHE_POWER_DOWN, NULL, level);
}

uint64_t arch_caller_attributes(void)
{
    return host_core_self()->attributes;
}

static void check_may_acquire(const struct arch_lock *lock)
{
    struct host_core *core = host_core_self();

    if (!core->caches_on) {
        host_fail("takes a lock with its caches off");
    }
    if (lock->holder == host_self() + 1U) {
        host_fail("takes a lock that it holds");
    }
    if (host_machine.lock_rank != NULL) {
        unsigned rank = host_machine.lock_rank(lock);

        if (core->ranks_held >> rank != 0) {
            host_fail("takes a lock of rank %u while it holds one of that rank or above", rank);
        }
        core->ranks_held |= 1U << rank;
    }
}

static void wait_for_lock(struct arch_lock *lock)
{
    if (lock->queue_head == 0) {
        lock->queue_head = host_self() + 1U;
    } else {
        host_cores[lock->queue_tail - 1U].queue_next = host_self() + 1U;
    }
    lock->queue_tail = host_self() + 1U;
    host_core_self()->queue_next = 0;
    host_block(HOST_IN_LOCK);
    host_charge(HOST_LOCK_HANDOVER, lock, 0);
}

/* True where the core has kept the lock since it last released it. */
static bool take_kept(const struct arch_lock *lock)
{
    struct host_core *core = host_core_self();

    for (unsigned i = 0; i < core->kept_count; i++) {
        if (core->kept[i] == lock) {
            core->kept[i] = core->kept[--core->kept_count];
            return true;
        }
    }
    return false;
}

void arch_lock_acquire(struct arch_lock *lock)
{
    if (take_kept(lock)) {
        host_core_self()->locks_held++;
        return;
    }
    check_may_acquire(lock);
    host_point(HOST_LOCK_ACQUIRE, lock, 0);
    if (lock->holder == 0) {
        lock->holder = host_self() + 1U;
    } else {
        wait_for_lock(lock); /* the one that releases it hands it over */
    }
    host_core_self()->locks_held++;
}

/* Takes one core out of the queue: the first, or one further behind. */
static uint32_t take_heir(struct arch_lock *lock)
{
    unsigned pass_over = host_machine.heir != NULL && lock->queue_head != 0 ? host_machine.heir(lock) : 0;
    uint32_t before = 0;
    uint32_t heir = lock->queue_head;

    for (; pass_over != 0 && heir != 0 && host_cores[heir - 1U].queue_next != 0; pass_over--) {
        before = heir;
        heir = host_cores[heir - 1U].queue_next;
    }
    if (heir == 0) {
        return 0;
    }
    if (before == 0) {
        lock->queue_head = host_cores[heir - 1U].queue_next;
    } else {
        host_cores[before - 1U].queue_next = host_cores[heir - 1U].queue_next;
    }
    lock->queue_tail = lock->queue_tail == heir ? before : lock->queue_tail;
    return heir;
}

static void hand_over(struct arch_lock *lock)
{
    lock->holder = take_heir(lock);
    if (lock->holder != 0) {
        host_set_running(lock->holder - 1U, host_core_self()->now_ticks);
    }
}

/* A lock that is kept has not been released: its record, the last one, waits for the time when it is. Returns its argument. */
static uint64_t take_back_release(void)
{
    struct trace_ring *ring = &host_core_self()->ring;

    if (ring->next == ring->records || (uint16_t)ring->next[-1].event_arg != TRACE_LOCK_RELEASE) {
        return 0;
    }
    ring->next--;
    return ring->next->event_arg >> 16;
}

void arch_lock_release(struct arch_lock *lock)
{
    struct host_core *core = host_core_self();

    host_point(HOST_LOCK_RELEASE, lock, 0);
    if (lock->holder != host_self() + 1U) {
        host_fail("releases a lock that it does not hold");
    }
    core->locks_held--;
    if (host_machine.lock_rank != NULL && !core->keeps_locks) {
        core->ranks_held &= ~(1U << host_machine.lock_rank(lock));
    }
    if (core->keeps_locks) {
        core->kept_arg[core->kept_count] = take_back_release();
        core->kept[core->kept_count++] = lock;
        return;
    }
    hand_over(lock);
}

void host_keep_locks(void)
{
    host_core_self()->keeps_locks = true;
}

void host_release_kept(void)
{
    struct host_core *core = host_core_self();

    core->keeps_locks = false;
    core->ranks_held = core->kept_count != 0 ? 0 : core->ranks_held;
    while (core->kept_count != 0) {
        core->kept_count--;
        trace_event(TRACE_LOCK_RELEASE, core->kept_arg[core->kept_count]);
        hand_over(core->kept[core->kept_count]);
    }
}

uint32_t arch_shared_load(const struct arch_shared *shared)
{
    host_point(HOST_SHARED_LOAD, shared, 0);
    return shared->value;
}

void arch_shared_store(struct arch_shared *shared, uint32_t value)
{
    host_point(HOST_SHARED_STORE, shared, value);
    shared->value = value;
    wake_watchers(shared);
}

bool arch_shared_compare_swap(struct arch_shared *shared, uint32_t expected, uint32_t desired)
{
    if (!host_core_self()->caches_on) {
        host_fail("compares and swaps with its caches off");
    }
    host_point(HOST_SHARED_COMPARE_SWAP, shared, desired);
    if (shared->value != expected) {
        return false;
    }
    shared->value = desired;
    wake_watchers(shared);
    return true;
}
