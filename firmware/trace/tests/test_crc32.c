/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include "crc32.h"

TEST(the_check_value_of_the_standard_comes_out)
{
    CHECK(crc32_append(0, "123456789", 9) == 0xcbf43926);
}

TEST(a_crc_goes_on_where_another_ended)
{
    CHECK(crc32_append(crc32_append(0, "1234", 4), "56789", 5) == 0xcbf43926);
    CHECK(crc32_append(0xcbf43926, "", 0) == 0xcbf43926);
}

/* The table against the definition, bit by bit. */
TEST(every_byte_has_the_crc_of_its_definition)
{
    for (unsigned value = 0; value < 256; value++) {
        uint32_t crc = 0xffffffffU ^ value;
        uint8_t byte = (uint8_t)value;

        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
        }
        CHECK_EQUAL(crc32_append(0, &byte, 1), (uint32_t)~crc);
    }
}

TEST(nothing_has_crc_zero)
{
    CHECK(crc32_append(0, "", 0) == 0);
}

TEST(zlibs_value_of_a_dump_line_comes_out)
{
    static const char line[] = "LLT1:END tests=6 iterations=20 status=pass";

    CHECK(crc32_append(0, line, sizeof(line) - 1) == 0x65b825f5);
}

TEST(every_flipped_bit_changes_the_crc)
{
    unsigned char bytes[] = "LLT1:DONE";

    for (unsigned bit = 0; bit < 8 * (sizeof(bytes) - 1); bit++) {
        unsigned char saved = bytes[bit / 8];

        bytes[bit / 8] = (unsigned char)(saved ^ 1u << bit % 8);
        CHECK(crc32_append(0, bytes, sizeof(bytes) - 1) != crc32_append(0, "LLT1:DONE", 9));
        bytes[bit / 8] = saved;
    }
}
