/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "crc32.h"

static void the_check_value_of_the_standard_comes_out(void)
{
    CHECK(crc32("123456789", 9) == 0xcbf43926);
}

static void nothing_has_crc_zero(void)
{
    CHECK(crc32("", 0) == 0);
}

static void zlibs_value_of_a_dump_line_comes_out(void)
{
    static const char line[] = "LLT1:END tests=6 iterations=20 status=pass";

    CHECK(crc32(line, sizeof(line) - 1) == 0x65b825f5);
}

static void every_flipped_bit_changes_the_crc(void)
{
    unsigned char bytes[] = "LLT1:DONE";

    for (unsigned bit = 0; bit < 8 * (sizeof(bytes) - 1); bit++) {
        unsigned char saved = bytes[bit / 8];

        bytes[bit / 8] = (unsigned char)(saved ^ 1u << bit % 8);
        CHECK(crc32(bytes, sizeof(bytes) - 1) != crc32("LLT1:DONE", 9));
        bytes[bit / 8] = saved;
    }
}

int main(void)
{
    RUN(the_check_value_of_the_standard_comes_out);
    RUN(nothing_has_crc_zero);
    RUN(zlibs_value_of_a_dump_line_comes_out);
    RUN(every_flipped_bit_changes_the_crc);
    return check_failures != 0;
}
