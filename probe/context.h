/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction's cost depends on beside the instruction: whether its core's caches and its translation were on, and whether what it
 * read or wrote is a device. A fragment is another one in each context. */
#ifndef PROBE_CONTEXT_H
#define PROBE_CONTEXT_H

#include <stdint.h>

/* docs/reference/probe-format.md promises these to the reader. */
#define CONTEXT_TOLD 0x1U
#define CONTEXT_SWITCHES 0x2U /* the next three are known */
#define CONTEXT_I_CACHE 0x4U
#define CONTEXT_D_CACHE 0x8U
#define CONTEXT_TRANSLATION 0x10U
#define CONTEXT_DEVICE 0x20U /* of the last instruction of the fragment */
#define CONTEXT_DEVICE_UNKNOWN 0x40U
#define CONTEXT_AARCH32 0x80U
#define CONTEXT_THUMB 0x100U /* with CONTEXT_AARCH32, in traces: T32 */

/* The context in which code runs by the SCTLR of its level. */
uint32_t context_of_sctlr(uint64_t sctlr);

#endif
