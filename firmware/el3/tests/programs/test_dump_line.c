/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <stdarg.h>
#include <stdbool.h>

#include "dump_line.h"

static char line[DUMP_LINE_SIZE];

static bool make(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    bool fits;

    va_start(arguments, format);
    fits = dump_line(out, size, format, arguments);
    va_end(arguments);
    return fits;
}

static void a_line_stands_between_angle_brackets_with_the_crc_of_zlib(void)
{
    CHECK(make(line, sizeof(line), "END tests=%lu iterations=%lu status=%s", 6ul, 20ul, "pass"));
    CHECK_TEXT("<LLT1:END tests=6 iterations=20 status=pass *65b825f5>", line);
}

static void a_line_that_just_fits_is_made(void)
{
    char exact[sizeof("<LLT1:END tests=6 iterations=20 status=pass *65b825f5>")];

    CHECK(make(exact, sizeof(exact), "END tests=6 iterations=20 status=pass"));
    CHECK_TEXT("<LLT1:END tests=6 iterations=20 status=pass *65b825f5>", exact);
}

static void a_line_that_does_not_fit_is_no_line(void)
{
    char small[sizeof("<LLT1:END tests=6 iterations=20 status=pass *65b825f5>") - 1];

    for (size_t size = 1; size <= sizeof(small); size++) {
        CHECK(!make(small, size, "END tests=6 iterations=20 status=pass"));
        CHECK_TEXT("", small);
    }
}

int main(void)
{
    RUN(a_line_stands_between_angle_brackets_with_the_crc_of_zlib);
    RUN(a_line_that_just_fits_is_made);
    RUN(a_line_that_does_not_fit_is_no_line);
    return check_failures != 0;
}
