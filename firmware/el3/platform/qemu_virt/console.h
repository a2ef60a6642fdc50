/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure PL011: what the firmware has to say, apart from the normal world's console. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

/*
 * From the boot core until the others run, and then for a panic alone: there is no lock. Device memory must be mapped, or
 * the MMU off.
 */
void console_init(void);
/* From here on on the normal world's console too: for what the user has to see, whichever of the two is looked at. */
void console_everywhere(void);
void console_text(const char *text);
/* Decimal; hexadecimal with 0x and all 16 digits. */
void console_number(uint64_t value);
void console_hex(uint64_t value);

#endif
