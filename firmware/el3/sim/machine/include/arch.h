/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arch interface on the development machine: what the cores (psci/, trace/) may use of the machine, with every access
 * that another core can see a scheduling point of host.h. arch/aarch64 has the same functions, and its header says what
 * each requires; here a call that breaks such a requirement ends the run with a sentence (host_violation()).
 */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_CACHE_LINE 64

/* A lock knows who holds it, so that misuse is found where it happens. */
struct arch_lock {
    uint32_t holder; /* core index + 1; 0: free */
    uint32_t queue_head; /* of the cores that wait for it: index + 1 */
    uint32_t queue_tail;
};

struct arch_shared {
    uint32_t value;
} __attribute__((aligned(ARCH_CACHE_LINE)));

unsigned arch_core_index(void);
uint64_t arch_counter_ticks(void);
uint64_t arch_counter_hz(void);

void arch_event_wait(void);
void arch_event_send(void);

void arch_lock_acquire(struct arch_lock *lock);
void arch_lock_release(struct arch_lock *lock);

uint32_t arch_shared_load(const struct arch_shared *shared);
void arch_shared_store(struct arch_shared *shared, uint32_t value);
bool arch_shared_compare_swap(struct arch_shared *shared, uint32_t expected, uint32_t desired);

static inline uint64_t arch_whole_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

#define ARCH_STORE_PAIR(object, one, other, first, second)               \
    do {                                                                 \
        __atomic_store_n(&(object)->one, (first), __ATOMIC_RELAXED);     \
        __atomic_store_n(&(object)->other, (second), __ATOMIC_RELAXED);  \
    } while (0)

void arch_publish(void);

void arch_relax(const struct arch_shared *shared);

void arch_interrupt_wait(void);
void arch_cache_power_down(unsigned level);
uint64_t arch_caller_attributes(void);

#endif
