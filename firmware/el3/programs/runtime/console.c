/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include <stdarg.h>

#include "dump_line.h"
#include "format.h"
#include "panic.h"
#include "sync.h"
#include "uart.h"

#define LINE_SIZE 400

static struct spinlock lock;

static void write_line(const char *line)
{
    spinlock_acquire(&lock);
    uart_write(line);
    uart_write("\r\n");
    spinlock_release(&lock);
}

void console_line(const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    format_text_v(line, sizeof(line), format, arguments);
    va_end(arguments);
    write_line(line);
}

void console_dump(const char *format, ...)
{
    char line[DUMP_LINE_SIZE];
    va_list arguments;
    bool fits;

    va_start(arguments, format);
    fits = dump_line(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (!fits) {
        panic("a dump line is longer than %u characters: %s", DUMP_LINE_SIZE, format);
    }
    write_line(line);
}
