/* SPDX-License-Identifier: BSD-3-Clause */
/* The two ways into EL3: a plain call, and a call that shows every register. */
#ifndef PAYLOAD_SMC_H
#define PAYLOAD_SMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

struct smc_result {
    uint64_t x[8];
};

/* x0 to x30 before the call, and after it; SP and DAIF on both sides. */
struct smc_frame {
    uint64_t x[31];
    uint64_t sp_in;
    uint64_t sp_out;
    uint64_t daif_in;
    uint64_t daif_out;
};

_Static_assert(offsetof(struct smc_frame, sp_in) == FRAME_SP_IN, "assembly knows this offset");
_Static_assert(offsetof(struct smc_frame, sp_out) == FRAME_SP_OUT, "assembly knows this offset");
_Static_assert(offsetof(struct smc_frame, daif_in) == FRAME_DAIF_IN, "assembly knows this offset");
_Static_assert(offsetof(struct smc_frame, daif_out) == FRAME_DAIF_OUT, "assembly knows this offset");

/* `resumed`: the core lost its context and came back through payload_resume with `context_id`. */
struct smc_return {
    uint64_t context_id;
    uint64_t resumed;
};

/* Clobbers what SMCCC 1.2 lets a call clobber. Not for a call that may lose the core's context. */
struct smc_result smc(uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3);
/*
 * `frame` goes in and comes back as the call left it, untouched where the core was resumed. For any call, one at a time on
 * a core.
 */
struct smc_return smc_frame_call(struct smc_frame *frame);

/* At EL2: smc_frame_call() calls from an AArch32 EL1, whose registers are 32 bits wide. */
extern bool smc_from_aarch32;

/* Entry points that EL3 is given. They are addresses, not functions that C may call. */
extern const char payload_resume[];
extern const char payload_secondary[];

#endif
