/* SPDX-License-Identifier: BSD-3-Clause */
#include "base64.h"

#include <stdint.h>

static char digit(uint32_t group, unsigned shift)
{
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[group >> shift & 0x3f];
}

void base64_encode(char *out, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    for (; size > 0; bytes += 3) {
        uint32_t group = (uint32_t)bytes[0] << 16;

        if (size > 1) {
            group |= (uint32_t)bytes[1] << 8;
        }
        if (size > 2) {
            group |= bytes[2];
        }
        *out++ = digit(group, 18);
        *out++ = digit(group, 12);
        *out++ = size > 1 ? digit(group, 6) : '=';
        *out++ = size > 2 ? digit(group, 0) : '=';
        size -= size > 3 ? 3 : size;
    }
    *out = '\0';
}
