/* SPDX-License-Identifier: BSD-3-Clause */
#include "monitor.h"
#include "psci.h"
#include "require.h"

#define PSCI_RANGE_MASK 0xBFFFFFE0U /* either convention, functions 0 to 0x1F of the standard secure service */

struct monitor_platform monitor;

/* The trace service leaves no event: a reader would never reach the end of its own ring. */
static void __attribute__((noinline)) handle_other(uint32_t id, struct smc_frame *frame)
{
    REQUIRE(monitor.core_of_mpidr != NULL && monitor.ring != NULL && monitor.location != NULL && monitor.cores != 0);
    if (trace_call(id, frame)) {
        return;
    }
    trace_event(TRACE_ENTER_SMC, id);
    if (!smccc_arch_call(id, frame) && !trng_call(id, frame)) {
        frame->x[0] = SMC_UNK;
    }
    trace_event(TRACE_EXIT_SMC, (uint32_t)frame->x[0]);
    trace_settle();
}

void smc_handle(struct smc_frame *frame)
{
    uint32_t id = (uint32_t)frame->x[0];

    if ((id & PSCI_RANGE_MASK) != PSCI_VERSION) {
        handle_other(id, frame);
        return;
    }
    frame->x[0] = (uint64_t)psci_call(id, frame->x[1], frame->x[2], frame->x[3]);
}
