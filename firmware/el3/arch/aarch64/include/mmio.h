/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of devices. Unit tests have an mmio.h of their own. */
#ifndef MMIO_H
#define MMIO_H

#include <stdint.h>

#include "meet.h"

static inline void mmio_write32(uintptr_t address, uint32_t value)
{
    ARCH_MEET();
    *(volatile uint32_t *)address = value;
}

static inline void mmio_write8(uintptr_t address, uint8_t value)
{
    ARCH_MEET();
    *(volatile uint8_t *)address = value;
}

static inline uint32_t mmio_read32(uintptr_t address)
{
    ARCH_MEET();
    return *(volatile uint32_t *)address;
}

#endif
