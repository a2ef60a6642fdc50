/* SPDX-License-Identifier: BSD-3-Clause */
#include "crc32.h"

/*
 * What a byte that is shifted out leaves of the polynomial 0xedb88320, reflected. A CRC is linear, so that is the sum of what its bits leave.
 * A constant table, because cores that print at the same time share it.
 */
#define BIT(byte, bit, left) ((byte) >> (bit) & 1 ? (left) : 0)
#define BYTE(byte)                                                                                                                   \
    (BIT(byte, 0, 0x77073096U) ^ BIT(byte, 1, 0xee0e612cU) ^ BIT(byte, 2, 0x076dc419U) ^ BIT(byte, 3, 0x0edb8832U) ^                 \
     BIT(byte, 4, 0x1db71064U) ^ BIT(byte, 5, 0x3b6e20c8U) ^ BIT(byte, 6, 0x76dc4190U) ^ BIT(byte, 7, 0xedb88320U))
#define BYTES_4(first) BYTE(first), BYTE((first) + 1), BYTE((first) + 2), BYTE((first) + 3)
#define BYTES_16(first) BYTES_4(first), BYTES_4((first) + 4), BYTES_4((first) + 8), BYTES_4((first) + 12)
#define BYTES_64(first) BYTES_16(first), BYTES_16((first) + 16), BYTES_16((first) + 32), BYTES_16((first) + 48)

static const uint32_t of_byte[256] = { BYTES_64(0), BYTES_64(64), BYTES_64(128), BYTES_64(192) };

uint32_t crc32_append(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = crc >> 8 ^ of_byte[(crc ^ bytes[i]) & 0xff];
    }
    return ~crc;
}
