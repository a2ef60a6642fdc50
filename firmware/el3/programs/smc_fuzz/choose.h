/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls: ids and arguments that are biased towards the edges, but never one that would end the run. */
#ifndef SMC_FUZZ_CHOOSE_H
#define SMC_FUZZ_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"
#include "smc.h"

struct fuzz_call {
    struct smc_frame frame;
    uint64_t sequence;
    bool may_suspend; /* a wake-up timer has to run */
    bool may_start_core; /* a success leads to an arrival */
    bool entry_is_own; /* the entry point that it gives is one of this program's */
    uint64_t context_id; /* what a resume or an arrival has to bring */
};

/* What stands in register `n` of call `sequence` where nothing better was chosen. Never the same twice. */
uint64_t canary(uint64_t sequence, uint32_t n);
bool is_canary(uint64_t value);

/* x0 to x30 of the next call. */
void choose_call(struct fuzz_call *call, struct random *random, uint64_t sequence);

#endif
