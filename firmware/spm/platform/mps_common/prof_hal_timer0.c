/* SPDX-License-Identifier: BSD-3-Clause */
/* The drop-in profiler's counter on a board whose model has no DWT: TIMER0, which runs downwards. */
#include "devices.h"
#include "prof_hal.h"

bool prof_hal_init(void)
{
    timer0_start();
    return true;
}

uint32_t prof_hal_get_count(void)
{
    return ~TIMER0_VALUE;
}
