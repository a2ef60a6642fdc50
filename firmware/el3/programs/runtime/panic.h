/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run that cannot go on: one line that says what, then power off. */
#ifndef PAYLOAD_PANIC_H
#define PAYLOAD_PANIC_H

/* `format` as in format.h. From any core, whatever it holds. Does not wait for other cores. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
