/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines on UART0. Any core may print at any time; a line is never cut by a line of another core. Not from panic(): its
 * caller may hold the lock.
 */
#ifndef PAYLOAD_CONSOLE_H
#define PAYLOAD_CONSOLE_H

/* `format` as in format.h; what is longer than 399 characters is cut. */
void console_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line that is whole already, without its newline. */
void console_write(const char *line);

#endif
