/* SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

#include "gic.h"
#include "panic.h"
#include "timer.h"

void completion_reset(struct completion *completion)
{
    atomic_store(&completion->signals, 0);
    atomic_store(&completion->waiting, 0);
}

void completion_signal(struct completion *completion, uint32_t waiter)
{
    /* Sequentially consistent on both sides: either the waiter sees this signal, or we see that it waits. */
    atomic_fetch_add(&completion->signals, 1);
    if (atomic_load(&completion->waiting)) {
        gic_wake_core(waiter);
    }
}

void completion_wait(struct completion *completion, uint32_t signals, uint64_t timeout_us)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(timeout_us);

    atomic_store(&completion->waiting, 1);
    timer_start_at(deadline);
    while (atomic_load(&completion->signals) < signals) {
        if (timer_now() >= deadline) {
            panic("%u of %u cores finished within %lu us", atomic_load(&completion->signals), signals, timeout_us);
        }
        gic_wait_interrupt();
    }
    timer_stop();
}
