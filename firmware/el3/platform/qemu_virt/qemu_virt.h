/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this platform share. */
#ifndef QEMU_VIRT_H
#define QEMU_VIRT_H

#include "memory_map.h"
#include "monitor.h"
#include "psci.h"

/* topology.c: as struct psci_platform and struct monitor_platform ask for it */
const struct psci_topology *qemu_virt_topology(void);
int qemu_virt_core_of_mpidr(uint64_t mpidr);
struct monitor_location qemu_virt_location(unsigned core);

/* dram.c; platform_early() has found it out */
uint64_t qemu_virt_dram_bytes(void);

/* machine.c: what QEMU says of the machine, and how to end it */
unsigned qemu_virt_core_count(void);
void qemu_virt_power_off(void) __attribute__((noreturn));
void qemu_virt_reset(void) __attribute__((noreturn));
void qemu_virt_wipe(uint64_t base, uint64_t bytes); /* zeroes; multiples of 64; caches off, and the MMU stays off */

/* power.c: fills in the hooks of a power controller that is played by the GIC and WFI */
void qemu_virt_power_init(struct psci_platform *platform);
/* A core that has come out of reset and is not the boot core: off until CPU_ON wants it. */
void qemu_virt_park(unsigned core) __attribute__((noreturn));

/* trng.c: 64 bits of a seeded generator, for any core at any time; not secure */
uint64_t qemu_virt_random(void);

#endif
