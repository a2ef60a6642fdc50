/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction's cost depends on beside the instruction: whether its core's caches and its translation were on, and whether what it
 * read or wrote is a device. A fragment is another one in each context. */
#ifndef PROBE_CONTEXTS_H
#define PROBE_CONTEXTS_H

#include <stdint.h>

#include "cores.h"
#include "fragment.h"

/* docs/probe-format.md promises these to the reader. */
#define CONTEXT_TOLD 0x1U
#define CONTEXT_SWITCHES 0x2U /* the next three are known */
#define CONTEXT_I_CACHE 0x4U
#define CONTEXT_D_CACHE 0x8U
#define CONTEXT_TRANSLATION 0x10U
#define CONTEXT_DEVICE 0x20U /* of the last instruction of the fragment */
#define CONTEXT_DEVICE_UNKNOWN 0x40U
#define CONTEXT_AARCH32 0x80U

/* The context in which code runs by the SCTLR of its level. */
uint32_t context_of_sctlr(uint64_t sctlr);

/* Notes that the core runs the fragment now. It goes into the path when it is over, since it may turn out to access a device. */
void contexts_ran(struct core *core, struct fragment *fragment);

/* What runs now has accessed a device. */
void contexts_device(struct core *core);

/* Puts what runs now into the path. */
void contexts_settle(struct core *core);

/* The same fragment with a number of its own for this context. In plugin.c. */
const struct fragment *probe_fragment_in(struct fragment *fragment, uint32_t context) __attribute__((visibility("hidden")));

/* The context of the running core. In plugin.c. */
uint32_t probe_context(const struct core *core) __attribute__((visibility("hidden")));

#endif
