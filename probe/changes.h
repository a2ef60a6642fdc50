/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stream tells of one core: its changes of world, its sleeps, and what it ran between them. */
#ifndef PROBE_CHANGES_H
#define PROBE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core.h"
#include "fragment.h"
#include "opcodes.h"
#include "world.h"

/* Before the others are called. `functions` and `contexts` are those of options.h. */
void changes_start(enum arch machine, bool functions, bool contexts);

/* The core goes on in the fragment, in another world than in its last block, or was asleep. */
void changes_note(struct core *core, const struct fragment *fragment);

/* It goes on at `address` inside of a block in which it slept. */
void changes_wake(struct core *core, uint64_t address);

/* It sleeps by the instruction at `address`, which is counted already. */
void changes_sleep(struct core *core, uint64_t address, enum sleep how);

/* The machine was stopped from outside: puts what the core ran since its last change and where it stood. `not_run` instructions of its
 * block are counted and did not run. */
void changes_stopped(struct core *core, uint64_t not_run);

/* Nothing is known of the core from here on, not even its world: puts what ran until now. */
void changes_cut(struct core *core);

#endif
