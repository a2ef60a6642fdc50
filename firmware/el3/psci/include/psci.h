/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PSCI 1.3 (Arm DEN0022): the calls a normal world makes, and the way back from a power-down.
 *
 * The core knows no architecture ("arch.h": locks, shared words, caches, counter) and no platform (struct psci_platform).
 * Which lock and which barrier protects what is argued in docs/explanation/locking.md.
 */
#ifndef PSCI_H
#define PSCI_H

#include <stdbool.h>
#include <stdint.h>

#include "psci_calls.h"
#include "psci_platform.h"

#define PSCI_VERSION_1_3 0x00010003
#define PSCI_NOTHING_TO_MIGRATE 2 /* MIGRATE_INFO_TYPE: no trusted OS that could */

/* Return codes (DEN0022, 5.2.2). */
#define PSCI_SUCCESS 0
#define PSCI_NOT_SUPPORTED (-1)
#define PSCI_INVALID_PARAMETERS (-2)
#define PSCI_DENIED (-3)
#define PSCI_ALREADY_ON (-4)
#define PSCI_ON_PENDING (-5)
#define PSCI_INTERNAL_FAILURE (-6)
#define PSCI_INVALID_ADDRESS (-9)

/* Where a core goes on in the normal world. `attributes` is what arch_caller_attributes() said of the core that made the call. */
struct psci_entry {
    uint64_t address;
    uint64_t context_id;
    uint64_t attributes;
};

/*
 * Makes the core ready for calls. Requires that it is called once, on `boot_core`, before any other core runs and before
 * the normal world does, and that `platform` and what it points to stay as they are for good. Promises that `boot_core` is
 * on and every other core off.
 */
void psci_init(const struct psci_platform *platform, unsigned boot_core);

/*
 * Makes one call of the normal world; smc_handle() is the caller. Requires a core that is on, caches on, no lock held, its
 * trace ring settled; all cores may be in it at once. The arguments are untrusted and copied once: of a 32-bit id only
 * their low halves count. Returns the code for x0, PSCI_NOT_SUPPORTED for an id that is no call, with nothing changed where
 * it is an error. CPU_OFF and the system calls do not return; a suspend that loses the context returns only where it is
 * refused, and otherwise ends in psci_warm_boot(). Captures at most TRACE_SLACK events.
 */
int64_t psci_call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3);

/*
 * Takes a core back that was started by CPU_ON or woken from a suspend; the architecture's warm-boot path is the caller, at
 * every such time and at no other. Requires caches on and the core's own stack, empty; `exit_ticks` is when its first
 * instruction ran. Waits, with no lock held, while another core takes a domain of it down or brings it up. Returns where
 * the core goes on: the domains above it are up, and what it lost is set up again.
 */
const struct psci_entry *psci_warm_boot(uint64_t exit_ticks);

#endif
