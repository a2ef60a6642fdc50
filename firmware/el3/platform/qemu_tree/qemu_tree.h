/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this platform share. */
#ifndef QEMU_TREE_H
#define QEMU_TREE_H

#include "memory_map.h"
#include "monitor.h"
#include "psci.h"
#include "tree.h"

/* topology.c: of this machine, or as the user wants it */
const struct psci_topology *qemu_tree_topology(struct tree_machine *machine);
struct monitor_location qemu_tree_location(unsigned core);

/* QEMU's MPIDRs: Aff0 counts to 16, then Aff1. */
#define QEMU_TREE_CORES_PER_AFF1 16U
static inline uint64_t qemu_tree_mpidr_of(unsigned core)
{
    return (uint64_t)(core / QEMU_TREE_CORES_PER_AFF1) << 8 | core % QEMU_TREE_CORES_PER_AFF1;
}

/* asked.c; the machine is filled in at boot, before another core runs */
extern struct tree_machine qemu_tree_machine;
bool qemu_tree_is_ns_memory(uint64_t address, uint64_t bytes); /* both untrusted */
int qemu_tree_core_of_mpidr(uint64_t mpidr); /* as in struct psci_platform */

/* machine.c: what the user told QEMU for us, and how to end the machine */
#define WANTED_BYTES 64U
bool machine_wanted(const char *name, char value[WANTED_BYTES]); /* false: nothing was said */
void machine_power_off(void) __attribute__((noreturn));
void machine_reset(void) __attribute__((noreturn));
void machine_tell_the_others(unsigned cores); /* those that wait in flash: all is set up for so many */
void qemu_tree_wipe(uint64_t base, uint64_t bytes); /* zeroes; multiples of 64; caches off, and the MMU stays off */

/* trng.c: 64 bits of a seeded generator, for any core at any time; not secure */
uint64_t qemu_tree_random(void);

#endif
