/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure PL011: what the firmware has to say, apart from the normal world's console. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

void console_init(void);
void console_text(const char *text);
void console_number(uint64_t value);
void console_hex(uint64_t value);

#endif
