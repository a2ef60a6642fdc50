/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs when every partition waits and the NS agent is in a call. A secure interrupt may come while the non-secure side
 * runs another thread; the switch is recorded then, and nobody but this loop is there to make it. The wait is one for
 * an event: an exception that came or went since the look makes it end at once.
 */
#include "spm.h"

#define IDLE_STACK_BYTES 256U

static uint8_t idle_stack[IDLE_STACK_BYTES] __attribute__((aligned(32)));

static void idle(void)
{
    for (;;) {
        spm_arch_wait();
        if (spm_kernel.switch_wanted != 0U) {
            spm_arch_switch();
        }
    }
}

static const struct spm_partition_info idle_info = {
    .name = "idle",
    .entry = idle,
    .stack_limit = (uintptr_t)idle_stack,
    .stack_top = (uintptr_t)idle_stack + IDLE_STACK_BYTES,
};

struct spm_partition spm_idle = { .info = &idle_info };
