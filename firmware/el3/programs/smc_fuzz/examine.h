/* SPDX-License-Identifier: BSD-3-Clause */
/* What every call owes to its caller, and what no call may give away. */
#ifndef SMC_FUZZ_EXAMINE_H
#define SMC_FUZZ_EXAMINE_H

#include "choose.h"

/* `before`: the frame as it went in. Panics, with the call, on the first thing that is wrong. */
void examine(const struct fuzz_call *call, const struct smc_frame *before);

#endif
