/* SPDX-License-Identifier: BSD-3-Clause */
/* Random arguments, biased towards valid ones and towards edges. */
#ifndef SMC_FUZZ_ARGUMENTS_H
#define SMC_FUZZ_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

uint64_t choose_value(struct random *random);
uint64_t choose_mpidr(struct random *random);
uint64_t choose_power_state(struct random *random);
/* `own`, or an address that the firmware has to refuse; `is_own` tells which. */
uint64_t choose_entry(struct random *random, const char *own, bool *is_own);

#endif
