/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this platform share. */
#ifndef QEMU_TREE_H
#define QEMU_TREE_H

#include "core_numbers.h"
#include "memory_map.h"
#include "monitor.h"
#include "psci.h"
#include "tree.h"

/* topology.c: of this machine, or as the user wants it */
const struct psci_topology *qemu_tree_topology(struct tree_machine *machine);
struct monitor_location qemu_tree_location(unsigned core);

static inline uint64_t qemu_tree_mpidr_of(unsigned core)
{
    return (uint64_t)(core >> AFF1_SHIFT) << 8 | (core & ((1U << AFF1_SHIFT) - 1U));
}

/* asked.c; the machine is filled in at boot, before another core runs */
extern struct tree_machine qemu_tree_machine;
bool qemu_tree_is_ns_memory(uint64_t address, uint64_t bytes); /* both untrusted */
int qemu_tree_core_of_mpidr(uint64_t mpidr); /* this and the next as in struct psci_platform */
uint64_t qemu_tree_mpidr_of_core(unsigned core);

/* fw_cfg.c: what the user told QEMU for us */
#define WANTED_BYTES 64U
bool qemu_tree_wanted(const char *name, char value[WANTED_BYTES]); /* false: nothing was said */

/* machine.c, the machine's own: how to end it */
void machine_power_off(void) __attribute__((noreturn));
void machine_reset(void) __attribute__((noreturn));

/* others.c */
void qemu_tree_tell_the_others(unsigned cores); /* those that wait in flash: all is set up for so many */

/* wipe.S */
void qemu_tree_wipe(uint64_t base, uint64_t bytes); /* zeroes; multiples of 64; caches off, and the MMU stays off */

/* trng.c: 64 bits of a seeded generator, for any core at any time; not secure */
uint64_t qemu_tree_random(void);

#endif
