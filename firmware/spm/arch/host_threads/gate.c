/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gate_thread.S and switch.S do with the SPM's state, step by step in their order, so that an interrupt may come between any two
 * of their accesses too.
 */
#include "gate.h"

#include "processor.h"
#include "spm.h"

void gate_enter(void)
{
    spm_kernel.active = 1;
}

uintptr_t gate_leave(uintptr_t result)
{
    uint32_t self = spm_kernel.current->context.thread;

    processor_set_r0(self, result);
    spm_kernel.active = 0;
    while (spm_kernel.switch_wanted != 0U) {
        processor_switch();
    }
    return processor_r0(self);
}

static uint32_t most_urgent(void)
{
    struct spm_partition *next = spm_kernel.by_rank[__builtin_clz(atomic_load(&spm_kernel.ready))];

    spm_kernel.current = next;
    if (next->deferred != 0U) {
        next->deferred = 0;
        processor_set_r0(next->context.thread, next->result);
    }
    return next->context.thread;
}

void gate_switch_handler(bool non_secure)
{
    if (spm_kernel.active != 0U || non_secure) {
        spm_kernel.switch_wanted = 1;
        return;
    }
    spm_kernel.switch_wanted = 0;

    uint32_t from = spm_kernel.current->context.thread;

    processor_resume(from, most_urgent());
}
