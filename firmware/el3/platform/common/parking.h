/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of a power controller that is played by the GIC and WFI. The platform's memory_map.h says how many cores there are at most. */
#ifndef PARKING_H
#define PARKING_H

#include "psci_platform.h"

/* On the boot core, once, the GIC's addresses known: sets up the GIC and fills in the hooks. */
void parking_init(struct psci_platform *platform);

/* A core that has come out of reset and is not the boot core: off until CPU_ON wants it. After parking_init(). */
void parking_park(unsigned core) __attribute__((noreturn));

#endif
