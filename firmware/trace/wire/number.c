/* SPDX-License-Identifier: BSD-3-Clause */
#include "number.h"

char *number_hex(char *out, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value >>= 4) {
        out[i] = "0123456789abcdef"[value & 0xf];
    }
    return out + digits;
}

char *number_decimal(char *out, uint64_t value)
{
    uint64_t rest = value;

    do {
        out++;
        rest /= 10;
    } while (rest != 0);
    for (char *digit = out; value != 0 || digit == out; value /= 10) {
        *--digit = (char)('0' + value % 10);
    }
    return out;
}
