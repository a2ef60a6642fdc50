/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs when every partition waits and the NS agent is in a call. */
#include "spm.h"

#define IDLE_STACK_BYTES 256U

static uint8_t idle_stack[IDLE_STACK_BYTES] __attribute__((aligned(32)));

static void idle(void)
{
    for (;;) {
        spm_arch_wait();
    }
}

static const struct spm_partition_info idle_info = {
    .name = "idle",
    .entry = idle,
    .stack_limit = (uintptr_t)idle_stack,
    .stack_top = (uintptr_t)idle_stack + IDLE_STACK_BYTES,
};

struct spm_partition spm_idle = { .info = &idle_info };
