/* SPDX-License-Identifier: BSD-3-Clause */
/* QEMU's `virt` and `sbsa-ref`. What is kept is in the match register of the real-time clock: MEM_PROTECT has all memory overwritten. */
#include "board.h"

#include "mmio.h"
#include "machine.h"
#include "psci.h"

#define RTC_MATCH (MACHINE_RTC + 4UL)

const struct board board = {
    .levels = 3,
    .has_mem_protect = true,
    .has_trng = true,
    .normal_memory = MACHINE_MEMORY,
    .secure_memory = MACHINE_SECURE_RAM,
    .standby = {
        { "core standby", POWER_STATE_STANDBY_0 },
        { "core and cluster standby", 0x01000011 },
        { "standby up to the system", 0x02000111 },
    },
    .powerdown = {
        { "core powerdown", POWER_STATE_DOWN_0 },
        { "cluster powerdown", POWER_STATE_DOWN_1 },
        { "system powerdown", POWER_STATE_DOWN_2 },
        { "core powerdown with cluster retention", 0x01010012 },
        { "core powerdown with cluster and system retention", 0x02010112 },
        { "cluster powerdown with system retention", 0x02010122 },
    },
    .bad_entry = {
        { "in secure SRAM", MACHINE_SECURE_RAM + 0x1000UL },
        { "at the end of secure SRAM", MACHINE_SECURE_RAM + 0xfffffcUL },
        { "in secure flash", 0x0UL },
        { "where nothing is mapped", 0x0001000000000000UL },
        { "at the end of the address space", 0xfffffffffffffffcUL },
        { "misaligned by 1", MACHINE_MEMORY + 1UL },
        { "misaligned by 2", MACHINE_MEMORY + 2UL },
    },
};

uint32_t board_kept(void)
{
    return mmio_read32(RTC_MATCH);
}

void board_keep(uint32_t word)
{
    mmio_write32(RTC_MATCH, word);
}
