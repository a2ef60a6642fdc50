/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the masks of a core may change: it is looked at behind each instruction that may do that, and where the core changes world. */
#ifndef PROBE_MASK_SITES_H
#define PROBE_MASK_SITES_H

#include "block.h"
#include "cores.h"
#include "fragment.h"
#include "qemu_interface.h"
#include "world.h"

/* Before the others are called. */
void mask_sites_start(enum arch machine);

/* Asks QEMU to call at such instructions. In front of the operations that count, so that what is behind such an instruction is not counted
 * yet. Sites live as long as QEMU. */
void mask_sites_watch(const struct qemu_plugin_tb *tb, const struct block *block);

/* The core goes on in the block, whose instructions are not counted yet. */
void mask_sites_look(struct core *core, struct fragment *block);

/* Puts what was masked, of each core up to its end, into the stream. The lock of records.h is held. */
void mask_sites_finish(void);

#endif
