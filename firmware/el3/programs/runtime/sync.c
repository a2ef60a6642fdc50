/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync.h"

static void wait_event(void)
{
    __asm__ volatile("wfe" ::: "memory");
}

static void send_event(void)
{
    /* The event must not overtake the store that the waiters wait for. */
    __asm__ volatile("dsb ishst; sev" ::: "memory");
}

void spinlock_acquire(struct spinlock *lock)
{
    while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) != 0) {
        wait_event();
    }
}

void spinlock_release(struct spinlock *lock)
{
    atomic_store_explicit(&lock->held, 0, memory_order_release);
    send_event();
}

void barrier_wait(struct barrier *barrier, uint32_t parties)
{
    uint32_t generation = atomic_load_explicit(&barrier->generation, memory_order_acquire);

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == parties) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->generation, generation + 1, memory_order_release);
        send_event();
        return;
    }
    while (atomic_load_explicit(&barrier->generation, memory_order_acquire) == generation) {
        wait_event();
    }
}
