/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core ran between sleeps at one place, which have one pair of records in the stream. Its order is not kept. */
#ifndef PROBE_NAPS_H
#define PROBE_NAPS_H

#include <stdint.h>

#include "core.h"

/* The core falls asleep again where it did before: adds what is in its path and its profile, `instructions` in all. */
void naps_note(struct core *core, uint64_t instructions);

#endif
