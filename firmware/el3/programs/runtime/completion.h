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

void completion_reset(struct completion *completion);
/* `waiter` is the core that calls completion_wait. */
void completion_signal(struct completion *completion, uint32_t waiter);
/* Panics after `timeout_us`. */
void completion_wait(struct completion *completion, uint32_t signals, uint64_t timeout_us);

#endif
