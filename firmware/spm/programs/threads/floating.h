/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns in registers. Without a floating-point unit the floats_*() do nothing and are always right. */
#ifndef FLOATING_H
#define FLOATING_H

#include <stdbool.h>
#include <stdint.h>

/* Gives the unit to the non-secure side, where there is one and the secure side lets it. */
void floats_enable(void);
bool floats_exist(void);

void floats_fill(uint32_t pattern);               /* s0 to s31 */
bool floats_preserved_are(uint32_t pattern);      /* s16 to s31 */

/* Fill registers, wait some hundred instructions, and look: r4 to r11, s0 to s31. */
bool registers_stay(uint32_t pattern);
bool floats_stay(uint32_t pattern);

#endif
