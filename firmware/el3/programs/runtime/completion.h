/* SPDX-License-Identifier: BSD-3-Clause */
/* One core waits, with WFI, until others have signalled so often. They interrupt it only when it really waits. */
#ifndef PAYLOAD_COMPLETION_H
#define PAYLOAD_COMPLETION_H

#include <stdatomic.h>
#include <stdint.h>

struct completion {
    _Alignas(64) _Atomic uint32_t signals;
    _Atomic uint32_t waiting;
};

/* Before any core signals it again. */
void completion_reset(struct completion *completion);
/*
 * From any core, also from many at once. `waiter` is the core that calls completion_wait. What was stored before is visible
 * to it.
 */
void completion_signal(struct completion *completion, uint32_t waiter);
/* Until `signals` have come since the reset. One core only, which gives its timer for it. Panics after `timeout_us`. */
void completion_wait(struct completion *completion, uint32_t signals, uint64_t timeout_us);

#endif
