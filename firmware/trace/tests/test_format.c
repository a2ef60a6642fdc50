/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <limits.h>
#include <stdint.h>

#include "format.h"

static char out[128];

TEST(text_and_numbers_stand_where_they_belong)
{
    CHECK(format_text(out, sizeof(out), "core %u.%u: %s %c %d%%", 1u, 3u, "off", '!', -9) == 19);
    CHECK_TEXT("core 1.3: off ! -9%", out);
}

TEST(the_largest_and_the_smallest_numbers_are_whole)
{
    format_text(out, sizeof(out), "%lu %ld %ld %lx %u %d", ULONG_MAX, LONG_MAX, LONG_MIN, ULONG_MAX, UINT_MAX, INT_MIN);
    CHECK_TEXT("18446744073709551615 9223372036854775807 -9223372036854775808 ffffffffffffffff 4294967295 -2147483648", out);
}

TEST(the_largest_numbers_of_64_bits_are_whole_on_any_machine)
{
    format_text(out, sizeof(out), "%llu %lld %llx %016llx", UINT64_MAX + 0ULL, INT64_MIN + 0LL, UINT64_MAX + 0ULL, 0x1234ULL);
    CHECK_TEXT("18446744073709551615 -9223372036854775808 ffffffffffffffff 0000000000001234", out);
}

TEST(zero_is_one_digit)
{
    format_text(out, sizeof(out), "%u %d %x %lu %llx", 0u, 0, 0u, 0ul, 0ull);
    CHECK_TEXT("0 0 0 0 0", out);
}

TEST(a_width_pads_with_zeros_and_never_cuts)
{
    format_text(out, sizeof(out), "%08x %016lx %02x", 0xbeefu, 0x1234ul, 0x12345u);
    CHECK_TEXT("0000beef 0000000000001234 12345", out);
}

TEST(text_that_does_not_fit_is_cut_and_its_length_returned)
{
    char small[6];

    CHECK(format_text(small, sizeof(small), "%s", "longer than that") == 16);
    CHECK_TEXT("longe", small);
}

TEST(a_buffer_of_one_character_holds_the_end_alone)
{
    char end = '!';

    CHECK(format_text(&end, 1, "%s", "text") == 4);
    CHECK(end == '\0');
}

TEST(a_buffer_of_no_size_is_not_written)
{
    char untouched = '!';

    CHECK(format_text(&untouched, 0, "%s", "text") == 4);
    CHECK(untouched == '!');
}

TEST(a_percent_sign_at_the_end_ends_the_text)
{
    static const char *const broken = "50%";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    format_text(out, sizeof(out), broken);
#pragma GCC diagnostic pop
    CHECK_TEXT("50", out);
}
