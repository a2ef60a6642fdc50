/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this platform share. */
#ifndef RASPI4_H
#define RASPI4_H

#include <stdbool.h>
#include <stdint.h>

#include "memory_map.h"
#include "tree_nodes.h"

/* counter.c */
/* MMU off: the system counter goes by the crystal, one tick a cycle. */
void raspi4_counter_start(void);
/* What CNTFRQ_EL0 ought to say: what it says where the board's microsecond timer agrees, else the crystal's, else 0. */
uint64_t raspi4_counter_hz(void);

/* board.c */
void raspi4_power_off(void) __attribute__((noreturn));
void raspi4_reset(bool alone) __attribute__((noreturn));
void raspi4_tell_the_others(void); /* those that wait in reset.S: all is set up */

/* tree.c: the normal world's memory, from the tree at boot and never changed again */
#define MAX_RANGES 8U
struct raspi4_memory {
    unsigned ranges;
    struct tree_range range[MAX_RANGES];
};
/*
 * Reads the tree and adds PSCI to it, MMU off. NULL, or a sentence that says why it cannot be used. A tree that is none: the memory
 * that every board has, and *has_tree false.
 */
const char *raspi4_use_tree(void *tree, struct raspi4_memory *memory, bool *has_tree);

#endif
