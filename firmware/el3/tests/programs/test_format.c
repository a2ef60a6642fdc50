/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <limits.h>
#include <stdint.h>

#include "format.h"

static char out[128];

static void text_and_numbers_stand_where_they_belong(void)
{
    CHECK(format_text(out, sizeof(out), "core %u.%u: %s %c %d%%", 1u, 3u, "off", '!', -9) == 19);
    CHECK_TEXT("core 1.3: off ! -9%", out);
}

static void the_largest_and_the_smallest_numbers_are_whole(void)
{
    format_text(out, sizeof(out), "%lu %ld %ld %lx %u %d", ULONG_MAX, LONG_MAX, LONG_MIN, ULONG_MAX, UINT_MAX, INT_MIN);
    CHECK_TEXT("18446744073709551615 9223372036854775807 -9223372036854775808 ffffffffffffffff 4294967295 -2147483648", out);
}

static void a_width_pads_with_zeros_and_never_cuts(void)
{
    format_text(out, sizeof(out), "%08x %016lx %02x", 0xbeefu, 0x1234ul, 0x12345u);
    CHECK_TEXT("0000beef 0000000000001234 12345", out);
}

static void text_that_does_not_fit_is_cut_and_its_length_told(void)
{
    char small[6];

    CHECK(format_text(small, sizeof(small), "%s", "longer than that") == 16);
    CHECK_TEXT("longe", small);
}

static void a_buffer_of_no_size_is_not_written(void)
{
    char untouched = '!';

    CHECK(format_text(&untouched, 0, "%s", "text") == 4);
    CHECK(untouched == '!');
}

static void a_percent_sign_at_the_end_ends_the_text(void)
{
    static const char *const broken = "50%";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    format_text(out, sizeof(out), broken);
#pragma GCC diagnostic pop
    CHECK_TEXT("50", out);
}

int main(void)
{
    RUN(text_and_numbers_stand_where_they_belong);
    RUN(the_largest_and_the_smallest_numbers_are_whole);
    RUN(a_width_pads_with_zeros_and_never_cuts);
    RUN(text_that_does_not_fit_is_cut_and_its_length_told);
    RUN(a_buffer_of_no_size_is_not_written);
    RUN(a_percent_sign_at_the_end_ends_the_text);
    return check_failures != 0;
}
