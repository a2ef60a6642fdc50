/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the architecture's: the registers of an interrupt controller that is a model. */
#ifndef MMIO_H
#define MMIO_H

#include <stdint.h>

void mmio_write8(uintptr_t address, uint8_t value);
void mmio_write32(uintptr_t address, uint32_t value);
uint32_t mmio_read32(uintptr_t address);

#endif
