/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <string.h>

#include "number.h"

static char out[NUMBER_MOST_DIGITS + 2];

static const char *decimal(uint64_t value)
{
    *number_decimal(out, value) = '\0';
    return out;
}

static const char *hex(uint64_t value, unsigned digits)
{
    *number_hex(out, value, digits) = '\0';
    return out;
}

TEST(decimal_numbers_have_as_many_digits_as_they_need)
{
    CHECK_TEXT("0", decimal(0));
    CHECK_TEXT("9", decimal(9));
    CHECK_TEXT("10", decimal(10));
    CHECK_TEXT("4294967296", decimal(1ULL << 32));
    CHECK_TEXT("18446744073709551615", decimal(UINT64_MAX));
}

TEST(hexadecimal_numbers_have_as_many_digits_as_were_asked_for)
{
    CHECK_TEXT("0000", hex(0, 4));
    CHECK_TEXT("0123456789abcdef", hex(0x0123456789abcdefULL, 16));
    CHECK_TEXT("cdef", hex(0x0123456789abcdefULL, 4));
    CHECK_TEXT("", hex(0xf, 0));
}

TEST(nothing_is_written_behind_the_digits)
{
    memset(out, '!', sizeof(out));
    CHECK(number_decimal(out, UINT64_MAX) == out + NUMBER_MOST_DIGITS);
    CHECK(out[NUMBER_MOST_DIGITS] == '!');
    memset(out, '!', sizeof(out));
    CHECK(number_hex(out, UINT64_MAX, 8) == out + 8);
    CHECK(out[8] == '!');
}
