/* SPDX-License-Identifier: BSD-3-Clause */
/* The console and the end of a program that knows no address of its own. */
#ifndef PSA_CALLS_CONSOLE_H
#define PSA_CALLS_CONSOLE_H

#include <stdarg.h>
#include <stdint.h>

/* Of a CMSDK UART. */
void console_open(uint32_t uart);

void console_put(uint32_t uart, const char *text);

/* A line `<LLC1:... *CRC>`. */
void console_say(uint32_t uart, const char *format, va_list arguments);

/* The program never comes back from it. */
_Noreturn void leave(uint32_t code);

#endif
