/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the architecture's, for sources that run once at boot: maintenance and locks that a test looks at. */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Before a header finds the real one beside it. */
#include "../../aarch64/include/sysregs.h"

#include "percpu.h"

#define ARCH_CACHE_LINE 64

struct arch_shared {
    uint32_t value;
} __attribute__((aligned(ARCH_CACHE_LINE)));

/* Given by the test. */
void arch_clean_invalidate(const void *address);
void arch_cache_power_down(unsigned level);

struct arch_lock {
    uint32_t holders;
};

static inline void arch_lock_acquire(struct arch_lock *lock)
{
    (void)lock;
    machine_note("lock");
}

static inline void arch_lock_release(struct arch_lock *lock)
{
    (void)lock;
    machine_note("unlock");
}

static inline unsigned arch_core_index(void)
{
    return percpu()->core_index;
}

static inline uint64_t arch_counter_ticks(void)
{
    return machine_read("cntpct_el0");
}

#endif
