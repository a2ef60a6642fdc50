/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a buffer: %s %c %% and, with an optional zero-padded width and `l` or `ll`, %d %u %x. Any other character after % stands as it is. */
#ifndef WIRE_FORMAT_H
#define WIRE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Writes at most `size` characters, a NUL the last one where size > 0, and returns the length that the whole text has, as snprintf does: a text
 * was cut where that is `size` or more. Keeps no state: any core may call it. Where there is a C library, its snprintf serves as well.
 */
size_t format_text(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t format_text_v(char *out, size_t size, const char *format, va_list arguments);

#endif
