/* SPDX-License-Identifier: BSD-3-Clause */
/* What a platform at EL3 uses of this architecture beyond arch.h. */
#ifndef ARCH_EL3_H
#define ARCH_EL3_H

#include <stdbool.h>
#include <stdint.h>

#include "psci.h"

/* One range of EL3's identity map: devices in multiples of 2 MiB, the others in pages of 4 KiB within 16 MiB from the first one's start. */
enum arch_map_kind { ARCH_MAP_DEVICE, ARCH_MAP_CODE, ARCH_MAP_CONST, ARCH_MAP_DATA };

struct arch_map {
    uintptr_t base;
    uintptr_t end;
    enum arch_map_kind kind;
};

/* Given by the platform; the ranges lie in the first GiB. */
extern const struct arch_map platform_map[];
extern const unsigned platform_map_ranges;

/* Leaves EL3 for the normal world. */
void arch_enter_ns(const struct psci_entry *entry) __attribute__((noreturn));

/* Sleeps, MMU off, until `*word` is not zero (NULL: until any interrupt), then goes to the warm-boot entry. */
void arch_sleep(const uint32_t *word) __attribute__((noreturn));

/* The normal world's timers of the calling core: none of them may ask for an interrupt any more. */
void arch_timers_off(void);

bool arch_has_el2(void);
bool arch_has_gicv3(void);

/* Given by the platform: the boot core's first C call, its MMU still off. */
void platform_early(void);

/* Given by the platform: prints a sentence and stops the machine. */
void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c) __attribute__((noreturn));

#endif
