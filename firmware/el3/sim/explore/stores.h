/* SPDX-License-Identifier: BSD-3-Clause */
/* Store buffers: what one core stores plainly for another is seen after a barrier, or any time before. */
#ifndef STORES_H
#define STORES_H

#include <stdbool.h>

#include "system_state.h"

/* From the start on every core sees what stands in psci now. */
void stores_begin(void);

/* The core is about to be seen by others, or has stopped: what it has stored meanwhile is held back. */
void stores_hold_back(unsigned core);

/* What is held back reaches memory: by a barrier of the calling core's, or by itself. */
void stores_publish(void);
void stores_drain(unsigned core);

bool stores_held(unsigned core);

/* The access is one that orders what was stored before it. */
bool stores_is_barrier(const struct access *access);

#endif
