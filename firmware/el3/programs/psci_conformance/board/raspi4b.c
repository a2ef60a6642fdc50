/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raspberry Pi 4, as QEMU's `raspi4b` has it: cores go down alone, and there is neither MEM_PROTECT nor a TRNG. What is kept is in
 * memory, which QEMU leaves as it is; on a board its own firmware may not.
 */
#include "board.h"

#include "psci.h"

#define KEPT 0x1ffe0000UL /* behind what is loaded */

const struct board board = {
    .levels = 1,
    .normal_memory = 0x100000UL,
    .secure_memory = 0x1000UL,
    .standby = { { "core standby", POWER_STATE_STANDBY_0 } },
    .powerdown = { { "core powerdown", POWER_STATE_DOWN_0 } },
    .refused = {
        { "a cluster powerdown, which the board has not", POWER_STATE_DOWN_1 },
        { "a system powerdown, which the board has not", POWER_STATE_DOWN_2 },
        { "a cluster standby, which the board has not", 0x01000011 },
    },
    .bad_entry = {
        { "in the firmware's memory", 0x1000UL },
        { "at the end of the firmware's memory", 0x7fffcUL },
        { "at a device", 0xfe201000UL },
        { "where nothing is mapped", 0x0001000000000000UL },
        { "at the end of the address space", 0xfffffffffffffffcUL },
        { "misaligned by 1", 0x100001UL },
        { "misaligned by 2", 0x100002UL },
    },
};

static volatile uint32_t *kept(void)
{
    return (volatile uint32_t *)KEPT;
}

uint32_t board_kept(void)
{
    return *kept();
}

void board_keep(uint32_t word)
{
    *kept() = word;
    /* In memory, and not only in a cache, by the reset. */
    __asm__ volatile("dc civac, %0; dsb sy" ::"r"(KEPT) : "memory");
}
