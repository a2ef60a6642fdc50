/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines on UART0. A line is never cut by a line of another core. */
#ifndef PAYLOAD_CONSOLE_H
#define PAYLOAD_CONSOLE_H

/* `format` as in format.h, without the newline. */
void console_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of the dump: `format` is what stands between `<LLT1:` and the check sum. */
void console_dump(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
