/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting where several cores take turns on one thread, as they do on the instruction clock.
 *
 * A block's instructions are counted when it is entered. At each place where it may be left early, an operation of QEMU's own stores how
 * many of them would then not have run; whoever enters the next block takes these back. So a block costs one call, however many
 * such places it has, and every count that is read is exact. */
#ifndef PROBE_TURNS_H
#define PROBE_TURNS_H

#include <stdbool.h>

#include "cores.h"
#include "fragment.h"
#include "qemu_interface.h"

/* `changes` is the rest of an entry that is no plain going on: another core, another world, or the core was asleep. It returns the core of
 * the key. Called before any core runs. */
void turns_start(struct core *(*changes)(struct fragment *block, void *key));

/* Says that a core's thread is the calling one. Called once for each core, before any runs. */
void turns_core_made(void);

/* Whether all of `machine_cores` were made and share one thread. From the first `true` on the other functions may be called. */
bool turns_are_taken(uint32_t machine_cores);

/* Where QEMU's operations store what would not have run. */
qemu_plugin_u64 turns_left(void);

/* As turns_not_run() where the machine ends, for any core. */
uint64_t turns_not_run_of(const struct core *core);

/* What QEMU is given to call where a block is entered: one of which each fragment is counted apart, and one that is counted whole. */
void probe_measured_turn_here(unsigned int vcpu, void *data);
void probe_turn_here(unsigned int vcpu, void *data);

void probe_measured_turn(unsigned int vcpu, void *data, void *key) __attribute__((visibility("hidden")));
void probe_turn(unsigned int vcpu, void *data, void *key) __attribute__((visibility("hidden")));

#endif
