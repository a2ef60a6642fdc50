/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spinlock and barrier, for cores with their MMU on: all C code has it. Both wait with WFE; a store-release by the other
 * side is followed by SEV.
 */
#ifndef PAYLOAD_SYNC_H
#define PAYLOAD_SYNC_H

#include <stdatomic.h>
#include <stdint.h>

struct spinlock {
    _Alignas(64) _Atomic uint32_t held;
};

/* Cores may meet at it again and again: a generation number tells the meetings apart. */
struct barrier {
    _Alignas(64) _Atomic uint32_t arrived;
    _Atomic uint32_t generation;
};

void spinlock_acquire(struct spinlock *lock);
void spinlock_release(struct spinlock *lock);
/* Until `parties` cores, the same number for all, have come. What each stored before is visible to all after. */
void barrier_wait(struct barrier *barrier, uint32_t parties);

#endif
