/* SPDX-License-Identifier: BSD-3-Clause */
#include "crc32.h"

#define POLYNOMIAL_REFLECTED 0xedb88320U

static uint32_t nibble_step(uint32_t crc)
{
    for (int bit = 0; bit < 4; bit++) {
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL_REFLECTED : 0);
    }
    return crc;
}

uint32_t crc32(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t table[16];
    uint32_t crc = 0xffffffffU;

    for (uint32_t i = 0; i < 16; i++) {
        table[i] = nibble_step(i);
    }
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 0xf];
        crc = crc >> 4 ^ table[crc & 0xf];
    }
    return ~crc;
}
