/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for the platform's console. From whoever may use that. */
#ifndef CONSOLE_PRINT_H
#define CONSOLE_PRINT_H

#include <stdint.h>

/* Given by the platform: waits until the character has gone. */
void console_put(char c);

void console_text(const char *text);
/* Decimal; hexadecimal with 0x and all 16 digits. */
void console_number(uint64_t value);
void console_hex(uint64_t value);
/* "PANIC: ", a sentence and three values. */
void console_panic(const char *what, uint64_t a, uint64_t b, uint64_t c);

#endif
