/* SPDX-License-Identifier: BSD-3-Clause */
/* Suspend calls, after which the core comes back as if nothing had been. */
#ifndef PAYLOAD_SUSPEND_H
#define PAYLOAD_SUSPEND_H

#include <stdbool.h>
#include <stdint.h>

struct suspend_result {
    int64_t status;
    uint64_t context_id;
    bool resumed;
};

/*
 * CPU_SUSPEND (64-bit), with the wake-up of the caller set up. After a loss of context the interrupt controller of the core
 * is set up again.
 */
struct suspend_result psci_cpu_suspend(uint32_t power_state, uint64_t context_id);
/* Any suspend call whose entry point is payload_resume. */
struct suspend_result psci_resumable_call(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3);

#endif
