/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame around a dump line: <LLT1:BODY *CRC>, see docs/trace-format.md. */
#ifndef PAYLOAD_DUMP_LINE_H
#define PAYLOAD_DUMP_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define DUMP_LINE_SIZE 320

/* False where the line does not fit; `out` is then the empty string. */
bool dump_line(char *out, size_t size, const char *format, va_list arguments);

#endif
