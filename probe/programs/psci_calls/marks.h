/* SPDX-License-Identifier: BSD-3-Clause */
/* What this program says to whoever watches its calls from outside: a question about a function that no firmware has. */
#ifndef PSCI_CALLS_MARKS_H
#define PSCI_CALLS_MARKS_H

#include <stdint.h>

#include "psci.h"
#include "smc.h"

#define MARK_BEGIN 0x4c4d0001U /* the next call of this core is the one that is measured */
#define MARK_END 0x4c4d0002U /* it has come back */

/* One call to PSCI_FEATURES, whose answer is NOT_SUPPORTED on every firmware. */
static inline void mark(uint32_t which, uint64_t test, uint64_t iteration)
{
    smc(PSCI_FEATURES, which, test, iteration);
}

#endif
