/* SPDX-License-Identifier: BSD-3-Clause */
#include "format.h"

#include <stdbool.h>
#include <stdint.h>

#include "number.h"

struct text {
    char *out;
    size_t size;
    size_t length;
};

static void put(struct text *text, char c)
{
    if (text->length + 1 < text->size) {
        text->out[text->length] = c;
    }
    text->length++;
}

static void put_string(struct text *text, const char *s)
{
    for (; *s; s++) {
        put(text, *s);
    }
}

static void put_digits(struct text *text, const char *first, const char *end, unsigned width)
{
    for (unsigned count = (unsigned)(end - first); width > count; width--) {
        put(text, '0');
    }
    for (; first < end; first++) {
        put(text, *first);
    }
}

static void put_decimal(struct text *text, uint64_t value, unsigned width)
{
    char digits[NUMBER_MOST_DIGITS];

    put_digits(text, digits, number_decimal(digits, value), width);
}

static void put_hex(struct text *text, uint64_t value, unsigned width)
{
    char digits[NUMBER_MOST_DIGITS];
    unsigned count = 1;

    while (count < 16 && value >> 4 * count != 0) {
        count++;
    }
    put_digits(text, digits, number_hex(digits, value, count), width);
}

static void put_signed(struct text *text, int64_t value, unsigned width)
{
    if (value >= 0) {
        put_decimal(text, (uint64_t)value, width);
        return;
    }
    put(text, '-');
    put_decimal(text, -(uint64_t)value, width);
}

static uint64_t take_unsigned(va_list *arguments, unsigned longs)
{
    if (longs > 1) {
        return va_arg(*arguments, unsigned long long);
    }
    return longs == 1 ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
}

static int64_t take_signed(va_list *arguments, unsigned longs)
{
    if (longs > 1) {
        return va_arg(*arguments, long long);
    }
    return longs == 1 ? va_arg(*arguments, long) : va_arg(*arguments, int);
}

/* The conversion after a `%`; returns the first character behind it. */
static const char *put_conversion(struct text *text, const char *f, va_list *arguments)
{
    unsigned width = 0;
    unsigned longs = 0;

    for (; *f >= '0' && *f <= '9'; f++) {
        width = width * 10 + (unsigned)(*f - '0');
    }
    for (; *f == 'l'; f++) {
        longs++;
    }
    switch (*f) {
    case 's':
        put_string(text, va_arg(*arguments, const char *));
        break;
    case 'c':
        put(text, (char)va_arg(*arguments, int));
        break;
    case 'd':
        put_signed(text, take_signed(arguments, longs), width);
        break;
    case 'u':
        put_decimal(text, take_unsigned(arguments, longs), width);
        break;
    case 'x':
        put_hex(text, take_unsigned(arguments, longs), width);
        break;
    case '\0':
        return f;
    default:
        put(text, *f);
        break;
    }
    return f + 1;
}

size_t format_text_v(char *out, size_t size, const char *format, va_list arguments)
{
    struct text text = { .out = out, .size = size };
    va_list rest;

    va_copy(rest, arguments);
    while (*format) {
        if (*format == '%') {
            format = put_conversion(&text, format + 1, &rest);
        } else {
            put(&text, *format++);
        }
    }
    va_end(rest);
    if (size > 0) {
        out[text.length < size ? text.length : size - 1] = '\0';
    }
    return text.length;
}

size_t format_text(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    length = format_text_v(out, size, format, arguments);
    va_end(arguments);
    return length;
}
