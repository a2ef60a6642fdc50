/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include <stdarg.h>

#include "format.h"
#include "sync.h"
#include "uart.h"

#define LINE_SIZE 400

static struct spinlock lock;

void console_write(const char *line)
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
    console_write(line);
}
