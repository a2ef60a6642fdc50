/* SPDX-License-Identifier: BSD-3-Clause */
/* What a board of the MPS family adds to platform.c: which memory and which device is behind which controller. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Opens the memories and the devices of the non-secure side, before the SAU does. */
void board_init(void);

/* Blocks of a controller's memory from `first_byte` to `end_byte` become non-secure, the others stay secure. */
void mpc_open(uint32_t mpc, uint32_t first_byte, uint32_t end_byte);

#endif
