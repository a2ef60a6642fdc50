/* SPDX-License-Identifier: BSD-3-Clause */
/* What a platform supplies: a counter that runs upwards through 32 bits. */
#ifndef PROF_HAL_H
#define PROF_HAL_H

#include <stdbool.h>
#include <stdint.h>

/* Starts it; false where there is none. */
bool prof_hal_init(void);

uint32_t prof_hal_get_count(void);

#endif
