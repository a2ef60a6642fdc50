/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure PL011: what the firmware has to say, apart from the normal world's console. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "console_print.h"

/*
 * From the boot core until the others run, and then for a panic alone: there is no lock. Device memory must be mapped, or
 * the MMU off.
 */
void console_init(void);
/* From here on on the normal world's console too: for what the user has to see, whichever of the two is looked at. */
void console_everywhere(void);

#endif
