/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is where since when. Each running core watches all the others. */
#ifndef PSCI_STRESS_WATCHDOG_H
#define PSCI_STRESS_WATCHDOG_H

#include <stdint.h>

enum activity {
    ACTIVITY_OFF,
    ACTIVITY_BETWEEN_CALLS,
    ACTIVITY_CPU_ON,
    ACTIVITY_CPU_SUSPEND,
    ACTIVITY_FINISHED,
};

/* `detail`: the MPIDR of a CPU_ON, the power_state of a CPU_SUSPEND. */
void watchdog_enter(enum activity activity, uint64_t detail);
/* Where a core has been in one call, or an arrival has been due, for 30 s: names all of them and ends the run. */
void watchdog_check(void);
/* The same report, whatever it finds. */
_Noreturn void watchdog_end(const char *why);

#endif
