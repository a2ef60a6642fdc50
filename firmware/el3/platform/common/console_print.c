/* SPDX-License-Identifier: BSD-3-Clause */
#include "console_print.h"

#include "number.h"

void console_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            console_put('\r');
        }
        console_put(*text);
    }
}

void console_number(uint64_t value)
{
    char digits[NUMBER_MOST_DIGITS + 1];

    *number_decimal(digits, value) = '\0';
    console_text(digits);
}

void console_hex(uint64_t value)
{
    char digits[sizeof("0x") + 16] = "0x";

    *number_hex(&digits[2], value, 16) = '\0';
    console_text(digits);
}

void console_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    console_text("PANIC: ");
    console_text(what);
    console_text(": ");
    console_hex(a);
    console_text(", ");
    console_hex(b);
    console_text(", ");
    console_hex(c);
    console_text("\n");
}
