/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that two worlds share: QEMU translated a block for a world that is not measured, and runs it in one that is.
 *
 * The block is counted whole. Which stretches of it ran is known when the core has gone on elsewhere. */
#ifndef PROBE_SHARED_H
#define PROBE_SHARED_H

#include <stddef.h>

#include "core.h"
#include "fragment.h"

/* Before the block's instructions are counted; the core is in a measured world. */
static inline void shared_entered(struct core *core, const struct fragment *block)
{
    core->shared = block;
    core->shared_from = *core->instructions;
}

/* Notes what ran of the block that the core entered last, if that is shared; `instructions` is the core's exact count where it left it. */
void shared_left(struct core *core, uint64_t instructions);

/* How many of the first `most` instructions of A64 code make one stretch. */
uint32_t shared_stretch(const uint8_t *code, uint32_t most);

#endif
