/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a buffer: %s %c %% and, with an optional zero-padded width and `l`, %d %u %x. Anything else stands as it is. */
#ifndef PAYLOAD_FORMAT_H
#define PAYLOAD_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* Always ends with a NUL where size > 0. Returns the length that the whole text has, as snprintf does. */
size_t format_text(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t format_text_v(char *out, size_t size, const char *format, va_list arguments);

#endif
