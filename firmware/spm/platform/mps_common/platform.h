/* SPDX-License-Identifier: BSD-3-Clause */
/* What the architecture's start and the veneers use of this board. Privileged and secure, on the SPM's stack. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "spm_panic.h"

#define PLATFORM_IRQS 128U

struct spm_arch_region;

/* Level 1: all that the secure MPU holds beside the devices that manifests name. */
extern const struct spm_arch_region platform_regions[];
extern const uint32_t platform_region_count;

/* Is this region of a manifest in RAM, which the MPU holds already? */
bool platform_is_ram(const struct spm_arch_region *region);

/* From level 2 on: where secure code can be seen at a second address. */
extern const struct spm_arch_region platform_code_alias;

/* Once, first of all: which memory, devices and interrupts are the non-secure side's, and the secure console. */
void platform_init(void);

/*
 * Leaves for the non-secure reset vector with no secure value in a register. In the NS agent's thread, its stack empty,
 * everything else set up.
 */
_Noreturn void platform_enter_non_secure(void);

void platform_print(const char *text);
void platform_print_hex(const char *label, uint32_t value);

/* Why the boot before this one ended. */
extern struct spm_panic_record platform_last_panic;

/* Behind the veneer nsc_panic_word of test images. */
uint32_t platform_panic_word(uint32_t index);

#endif
