/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of the running core, by name, as QEMU's debugger interface knows them. */
#ifndef PROBE_REGISTERS_H
#define PROBE_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "masked.h"
#include "masks.h"
#include "world.h"

#define CROSSING_REGISTERS_MAX 10

/* Looks the names up. Called on a core's own thread before it runs; the first core's answer holds for all. NULL, or what keeps the probe
 * from following this processor. */
const char *registers_find(enum arch *arch);

/* The following read the core that runs on the calling thread, inside a callback that may read registers. */

/* What tells this block from one of another world: the level of AArch64, the world of M-profile and RISC-V. `is_aarch32` is set too. */
uint32_t registers_level(uint64_t address, bool *is_aarch32);

/* The whole world of a core at `level`. */
uint32_t registers_world(uint32_t level);

/* What the virtual timer's compare register says where that timer has fired; 0 where it has not, or there is none. */
uint64_t registers_timer_fired(void);

/* The core's own name: VMPIDR_EL2, mhartid; `otherwise` where the machine has none. */
uint64_t registers_identity(uint64_t otherwise);

/* At the first instruction in world `to`: notes where a trap says that a guest was left, and `from` is none, as with a QEMU that does not
 * show V. */
void registers_doubt(uint32_t from, uint32_t to, uint64_t address);

/* A sentence about worlds that are not told, or NULL. */
const char *registers_doubts(void);

/* The registers that a world switch carries, in the order of docs/reference/probe-format.md. Returns how many; each bit of `unknown` is one
 * that cannot be told, and 0 in `out`. */
size_t registers_of_crossing(uint32_t from, uint32_t to, uint64_t out[CROSSING_REGISTERS_MAX], uint32_t *unknown);

/* Whether caches and translation are on at `level`, context.h; without CONTEXT_SWITCHES where no register that can be read says it. */
uint32_t registers_context(uint32_t level);

/* Which interrupts the core takes at `level`; `is_aarch32` as registers_level() said. */
struct masks registers_masks(uint32_t level, bool is_aarch32);

/* True where `address` is where the core enters an exception at `level`, and in `masks` those that it had just before. */
bool registers_masks_before(uint32_t level, uint64_t address, struct masks *masks);

/* The return address in its link register. Right behind an exception that replaced it, as on M-profile, that of what was interrupted; 0 where
 * that is not told. */
uint64_t registers_link(bool is_behind_exception);

/* That one, and behind it those of the frame records on its stack, as far as they are told: on AArch64, and on M-profile by unwind.h. */
void registers_trail(uint64_t trail[MASKED_TRAIL]);

/* The same of what an exception of M-profile interrupted just now. */
void registers_trail_before(uint64_t trail[MASKED_TRAIL]);

#endif
