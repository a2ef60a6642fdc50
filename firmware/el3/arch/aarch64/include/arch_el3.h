/* SPDX-License-Identifier: BSD-3-Clause */
/* What a platform at EL3 uses of this architecture beyond arch.h. */
#ifndef ARCH_EL3_H
#define ARCH_EL3_H

#include <stdbool.h>
#include <stdint.h>

#include "psci.h"
#include "sysregs.h"

/*
 * One range of EL3's identity map: devices in multiples of 2 MiB, the others, one at least, in pages of 4 KiB within 16 MiB from the
 * first one's start.
 */
enum arch_map_kind { ARCH_MAP_DEVICE, ARCH_MAP_CODE, ARCH_MAP_CONST, ARCH_MAP_DATA };

struct arch_map {
    uintptr_t base;
    uintptr_t end;
    enum arch_map_kind kind;
};

/*
 * Given by the platform; the ranges lie in the first 4 GiB, later ones overwrite earlier ones. Read with the MMU off, on
 * every core that starts.
 */
extern const struct arch_map platform_map[];
extern const unsigned platform_map_ranges;

/*
 * Leaves EL3 for the normal world, with no register of the secure world in it but entry->context_id in x0. The stack of
 * this core is empty then.
 */
void arch_enter_ns(const struct psci_entry *entry) __attribute__((noreturn));

/* Sleeps, MMU off, until any interrupt, then goes to the warm-boot entry. Requires caches off and nothing on the stack that is still needed. */
void arch_sleep(void) __attribute__((noreturn));

/* Goes there as out of reset, with the same requirements. */
void arch_warm_entry(void) __attribute__((noreturn));

/* The normal world's timers of the calling core: none of them may ask for an interrupt any more. */
void arch_timers_off(void);

/* Once on each core, at cold boot: what the normal world is granted there. */
void arch_features_init(void);

/* For arch_enter_ns() alone: the registers that exist only with some of them. */
void arch_features_enter(uint64_t further);

/* What the core's ID registers say; the same on all cores. */
static inline bool arch_has_el2(void)
{
    return (SYSREG_READ_FIXED("id_aa64pfr0_el1") & 0xF00U) != 0;
}

/* For struct monitor_platform: what it says there. */
int64_t arch_workaround_feature(uint32_t id);
void arch_workaround(uint32_t id);

/* What the entry to EL3 has to know of the calling core, ENTRY_*, for its struct percpu. */
uint32_t arch_on_entry(void);
/* LATLAB_HARDENED: what arch_enter_ns() does beside that. */
void arch_harden_ns(void);

bool arch_has_gicv3(void); /* its CPU interface in system registers */

/* Given by the platform: the boot core's first C call, its MMU still off. */
void platform_early(void);

/*
 * Given by the platform: prints a sentence with three values and stops the machine. From any core, in any state but with
 * the console mapped.
 */
void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c) __attribute__((noreturn));

/* Asks an emulator that listens to semihosting to end with `status`. */
void arch_exit(uint64_t status);

#endif
