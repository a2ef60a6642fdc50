/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arch interface of AArch64 at EL3: what the cores (psci/, trace/) may use of the machine. sim/machine has the same
 * functions for the development machine. Any core may call all of it at any time, at EL3 with interrupts masked, unless a
 * function says that it needs the caches on: while they are off, exclusives do not work and what other cores hold in their
 * caches is not seen.
 */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meet.h"
#include "percpu.h"

/*
 * Locks and swaps are exclusive pairs. The oldest supported cores have no other atomic instruction, and a swap whose comparison fails
 * must not store: docs/explanation/locking.md, Shared words.
 */
#ifdef __ARM_FEATURE_ATOMICS
#error "EL3 is built without LSE: leave out -march=armv8.1-a, +lse and -mcpu of a core that has it"
#endif

#define ARCH_CACHE_LINE 64

/* The place of this core in all tables, from 0. Known from the first C call on. */
static inline unsigned arch_core_index(void)
{
    return percpu()->core_index;
}

/* The system counter, the same on all cores. No barrier: an instrument that waited for what it measures would change it. */
static inline uint64_t arch_counter_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntpct_el0" : "=r"(ticks));
    return ticks;
}

static inline uint64_t arch_counter_hz(void)
{
    uint64_t hz;

    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

/* Until an event, or for no reason at all: the caller looks again at what it waits for. The cores call it with no lock held. */
static inline void arch_event_wait(void)
{
    ARCH_MEET();
    __asm__ volatile("wfe" ::: "memory");
}

/* Wakes all cores in arch_event_wait(). The barrier makes what was stored before visible to whoever the event wakes. */
static inline void arch_event_send(void)
{
    ARCH_MEET();
    __asm__ volatile("dsb ish\n\tsev" ::: "memory");
    ARCH_MEET();
}

/*
 * A ticket lock: first come, first served. Only for cores whose caches are on: exclusives need them. The waiting load is
 * exclusive, so that the store of the release clears its monitor, which is the event that WFE waits for (DDI 0487, D1.6).
 */
struct arch_lock {
    uint32_t next;
    uint32_t owner;
};

static inline uint32_t arch_load_acquire_exclusive(const uint32_t *address)
{
    uint32_t value;

    __asm__ volatile("ldaxr %w0, %1" : "=r"(value) : "Q"(*address) : "memory");
    return value;
}

/*
 * Requires that the core holds neither it nor a lock of its rank or above. What other holders stored is visible when it
 * returns.
 */
static inline void arch_lock_acquire(struct arch_lock *lock)
{
    ARCH_MEET();
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (arch_load_acquire_exclusive(&lock->owner) != ticket) {
        arch_event_wait();
    }
    ARCH_MEET();
}

/* By the holder, its caches still on. */
static inline void arch_lock_release(struct arch_lock *lock)
{
    ARCH_MEET();
    __atomic_store_n(&lock->owner, lock->owner + 1, __ATOMIC_RELEASE);
    ARCH_MEET();
}

/*
 * A word that is also touched by cores whose caches are off. It has a cache line of its own, is cleaned to memory after
 * every store and thrown out of the cache before every load; so a line of it is never dirty for longer than a store.
 */
struct arch_shared {
    uint32_t value;
} __attribute__((aligned(ARCH_CACHE_LINE)));

static inline void arch_clean_invalidate(const void *address)
{
    __asm__ volatile("dc civac, %0\n\tdsb sy" ::"r"(address) : "memory");
}

/* What was stored last by any core, and with it all that the core stored before. */
static inline uint32_t arch_shared_load(const struct arch_shared *shared)
{
    ARCH_MEET();
    arch_clean_invalidate(shared);
    return __atomic_load_n(&shared->value, __ATOMIC_ACQUIRE);
}

/*
 * Seen by every later arch_shared_load(), whichever of the two cores has its caches off. Of two cores that may store at a
 * time, one must be kept out.
 */
static inline void arch_shared_store(struct arch_shared *shared, uint32_t value)
{
    ARCH_MEET();
    __atomic_store_n(&shared->value, value, __ATOMIC_RELEASE);
    ARCH_MEET();
    arch_clean_invalidate(shared);
    ARCH_MEET();
}

/*
 * Stores `desired` where `expected` stands; says whether it did. Only with caches on, as all cores that may store into it
 * at that time. Where it does not, there has been no store, as an exclusive pair has none: the word may be another core's, whose
 * caches are off.
 */
static inline bool arch_shared_compare_swap(struct arch_shared *shared, uint32_t expected, uint32_t desired)
{
    ARCH_MEET();
    arch_clean_invalidate(shared);
    bool swapped = __atomic_compare_exchange_n(&shared->value, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);

    ARCH_MEET();
    arch_clean_invalidate(shared);
    return swapped;
}

/*
 * A word of 64 bits that its core stores while others load it: they see it as it was or as it is, never half of each. No order with
 * any other access.
 */
static inline uint64_t arch_whole_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/*
 * Stores two such words, members of *object that are neighbours. One STP is two stores, each of them single-copy atomic (DDI 0487,
 * B2.2.1); a compiler has no relaxed store of two, and makes two instructions of them.
 */
#define ARCH_STORE_PAIR(object, one, other, first, second)                                                                       \
    do {                                                                                                                         \
        _Static_assert(offsetof(__typeof__(*(object)), other) == offsetof(__typeof__(*(object)), one) + 8, "neighbours");        \
        __asm__ volatile("stp %2, %3, [%4, %5]"                                                                                  \
                         : "=m"((object)->one), "=m"((object)->other)                                                            \
                         : "r"((uint64_t)(first)), "r"((uint64_t)(second)), "r"(object), "i"(offsetof(__typeof__(*(object)), one))); \
    } while (0)

/*
 * What this core has stored comes before whatever it does next: a core that is started by that, a store to a device or an SGI included,
 * sees it once its caches are on. A release would order it only before a store to memory.
 */
static inline void arch_publish(void)
{
    __asm__ volatile("dsb ish" ::: "memory");
    ARCH_MEET();
}

/* Between two looks at a word whose change no event tells of. Requires that no lock is held. */
static inline void arch_relax(const struct arch_shared *shared)
{
    (void)shared;
    ARCH_MEET();
    __asm__ volatile("yield" ::: "memory");
}

/*
 * Standby: back on any interrupt, also a masked one and one that was pending before. Nothing is lost. Requires that no lock
 * is held.
 */
static inline void arch_interrupt_wait(void)
{
    ARCH_MEET();
    __asm__ volatile("dsb sy\n\twfi" ::: "memory");
    ARCH_MEET();
}

/*
 * Turns the caller's data cache off and cleans and invalidates it, up to the level that goes down: 0 what the core has to
 * itself, from 1 on everything up to the point of coherency. Afterwards nothing dirty is left, the stack included. Requires
 * caches on and no lock held; from 1 on also that no other core of the cluster has dirty lines of its own. There is no way
 * back but the warm boot.
 */
void arch_cache_power_down(unsigned level);

/*
 * Attributes of the normal world's caller that a core it starts inherits: bit 0, big-endian data. During a call of the
 * normal world.
 */
uint64_t arch_caller_attributes(void);

#endif
