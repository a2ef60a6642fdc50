/* SPDX-License-Identifier: BSD-3-Clause */
/* Whichever UART the board's firmware has connected to the pins 14 and 15; nobody where it has turned neither on. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "console_print.h"

/* From the boot core until the others run, and then for a panic alone: there is no lock. */
void console_init(void);

#endif
