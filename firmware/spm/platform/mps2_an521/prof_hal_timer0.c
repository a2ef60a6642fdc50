/* SPDX-License-Identifier: BSD-3-Clause */
/* The drop-in profiler's counter on a board whose model has no DWT: TIMER0, which runs downwards. */
#include "prof_hal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define TIMER_CTRL        REGISTER(0x40000000U)
#define TIMER_VALUE       REGISTER(0x40000004U)
#define TIMER_RELOAD      REGISTER(0x40000008U)

bool prof_hal_init(void)
{
    TIMER_RELOAD = 0xFFFFFFFFU;
    TIMER_VALUE = 0xFFFFFFFFU;
    TIMER_CTRL = 1U;
    return true;
}

uint32_t prof_hal_get_count(void)
{
    return ~TIMER_VALUE;
}
