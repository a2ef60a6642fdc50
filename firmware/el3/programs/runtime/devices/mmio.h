/* SPDX-License-Identifier: BSD-3-Clause */
/* Device registers. No barrier: what must be ordered with memory says so where it is used. */
#ifndef PAYLOAD_MMIO_H
#define PAYLOAD_MMIO_H

#include <stdint.h>

static inline uint32_t mmio_read32(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

static inline void mmio_write32(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

static inline void mmio_write8(uintptr_t address, uint32_t value)
{
    *(volatile uint8_t *)address = (uint8_t)value;
}

#endif
