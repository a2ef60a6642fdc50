/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arch interface over threads of the development machine, by the same atomic operations and in the same order as arch/aarch64. A
 * race detector sees what the core of PSCI shares without them.
 */
#ifndef ARCH_H
#define ARCH_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define ARCH_CACHE_LINE 64

struct arch_lock {
    uint32_t next;
    uint32_t owner;
};

struct arch_shared {
    uint32_t value;
} __attribute__((aligned(ARCH_CACHE_LINE)));

extern _Thread_local unsigned thread_core;

static inline unsigned arch_core_index(void)
{
    return thread_core;
}

static inline uint64_t arch_counter_hz(void)
{
    return 1000000000U;
}

static inline uint64_t arch_counter_ticks(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * arch_counter_hz() + (uint64_t)now.tv_nsec;
}

static inline void arch_event_wait(void)
{
    sched_yield();
}

static inline void arch_event_send(void)
{
}

static inline void arch_lock_acquire(struct arch_lock *lock)
{
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&lock->owner, __ATOMIC_ACQUIRE) != ticket) {
        arch_event_wait();
    }
}

static inline void arch_lock_release(struct arch_lock *lock)
{
    __atomic_store_n(&lock->owner, lock->owner + 1, __ATOMIC_RELEASE);
}

static inline uint32_t arch_shared_load(const struct arch_shared *shared)
{
    return __atomic_load_n(&shared->value, __ATOMIC_ACQUIRE);
}

static inline void arch_shared_store(struct arch_shared *shared, uint32_t value)
{
    __atomic_store_n(&shared->value, value, __ATOMIC_RELEASE);
}

static inline bool arch_shared_compare_swap(struct arch_shared *shared, uint32_t expected, uint32_t desired)
{
    return __atomic_compare_exchange_n(&shared->value, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline uint64_t arch_whole_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

#define ARCH_STORE_PAIR(object, one, other, first, second)              \
    do {                                                                \
        __atomic_store_n(&(object)->one, (first), __ATOMIC_RELAXED);    \
        __atomic_store_n(&(object)->other, (second), __ATOMIC_RELAXED); \
    } while (0)

/* What starts a core here is a store-release, which publishes by itself. */
static inline void arch_publish(void)
{
}

static inline void arch_relax(const struct arch_shared *shared)
{
    (void)shared;
    sched_yield();
}

static inline void arch_interrupt_wait(void)
{
    sched_yield();
}

static inline void arch_cache_power_down(unsigned level)
{
    (void)level;
}

static inline uint64_t arch_caller_attributes(void)
{
    return 0;
}

#endif
