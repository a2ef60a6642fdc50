/* SPDX-License-Identifier: BSD-3-Clause */
#include "format.h"

#include <stdbool.h>
#include <stdint.h>

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

static void put_number(struct text *text, uint64_t value, unsigned base, unsigned width)
{
    char digits[20];
    unsigned n = 0;

    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    for (; width > n; width--) {
        put(text, '0');
    }
    while (n > 0) {
        put(text, digits[--n]);
    }
}

static void put_signed(struct text *text, int64_t value, unsigned width)
{
    if (value >= 0) {
        put_number(text, (uint64_t)value, 10, width);
        return;
    }
    put(text, '-');
    put_number(text, -(uint64_t)value, 10, width);
}

/* The conversion after a `%`; returns the first character behind it. */
static const char *put_conversion(struct text *text, const char *f, va_list *arguments)
{
    unsigned width = 0;
    bool is_long;

    for (; *f >= '0' && *f <= '9'; f++) {
        width = width * 10 + (unsigned)(*f - '0');
    }
    is_long = *f == 'l';
    if (is_long) {
        f++;
    }
    switch (*f) {
    case 's':
        put_string(text, va_arg(*arguments, const char *));
        break;
    case 'c':
        put(text, (char)va_arg(*arguments, int));
        break;
    case 'd':
        put_signed(text, is_long ? va_arg(*arguments, long) : va_arg(*arguments, int), width);
        break;
    case 'u':
        put_number(text, is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned), 10, width);
        break;
    case 'x':
        put_number(text, is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned), 16, width);
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
