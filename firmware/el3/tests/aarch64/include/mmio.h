/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the architecture's: devices that a test sets and looks at. */
#ifndef MMIO_H
#define MMIO_H

#include <stdint.h>

void mmio_write32(uintptr_t address, uint32_t value);
void mmio_write8(uintptr_t address, uint8_t value);
uint32_t mmio_read32(uintptr_t address);

#endif
