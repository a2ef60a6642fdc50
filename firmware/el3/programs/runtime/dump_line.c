/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_line.h"

#include <stdint.h>

#include "crc32.h"
#include "format.h"

#define OPENING "<LLT1:"

bool dump_line(char *out, size_t size, const char *format, va_list arguments)
{
    size_t length = format_text(out, size, OPENING);
    uint32_t crc;

    if (length < size) {
        length += format_text_v(out + length, size - length, format, arguments);
    }
    if (length < size) {
        crc = crc32(out + 1, length - 1);
        length += format_text(out + length, size - length, " *%08x>", crc);
    }
    if (length < size) {
        return true;
    }
    if (size > 0) {
        out[0] = '\0';
    }
    return false;
}
