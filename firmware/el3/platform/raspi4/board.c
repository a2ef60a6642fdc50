/* SPDX-License-Identifier: BSD-3-Clause */
/* The board: its watchdog, which is the way to a reset, and the cores that wait. */
#include "arch.h"
#include "gic.h"
#include "raspi4.h"

#define WATCHDOG_RSTC 0x1CU
#define WATCHDOG_RSTS 0x20U
#define WATCHDOG_TIMEOUT 0x24U
#define WATCHDOG_PASSWORD 0x5A000000U
#define RSTC_FULL_RESET 0x20U
#define RSTC_CONFIGURATION 0x30U
#define RSTS_PARTITION 0x555U /* bits 10, 8, 6 to 0; all of them: halt */
#define TIMEOUT_TICKS 10U     /* of 16 us */

/* For reset.S; not in .bss, which the boot core zeroes while others look at it. */
struct arch_shared raspi4_is_up __attribute__((section(".data")));

void raspi4_tell_the_others(void)
{
    arch_shared_store(&raspi4_is_up, 1);
    arch_event_send();
}

static uint32_t read_watchdog(uint32_t offset)
{
    return mmio_read32(WATCHDOG_BASE + offset);
}

static void write_watchdog(uint32_t offset, uint32_t value)
{
    mmio_write32(WATCHDOG_BASE + offset, WATCHDOG_PASSWORD | value);
}

static void __attribute__((noreturn)) reset_into(uint32_t partition)
{
    write_watchdog(WATCHDOG_RSTS, (read_watchdog(WATCHDOG_RSTS) & ~RSTS_PARTITION & 0xFFFFFFU) | partition);
    write_watchdog(WATCHDOG_TIMEOUT, TIMEOUT_TICKS);
    write_watchdog(WATCHDOG_RSTC, (read_watchdog(WATCHDOG_RSTC) & ~RSTC_CONFIGURATION & 0xFFFFFFU) | RSTC_FULL_RESET);
    for (;;) {
        __asm__ volatile("dsb sy\n\twfi");
    }
}

/* A reset after which the board's firmware starts nothing: nearer to off the board does not come by itself. */
void raspi4_power_off(void)
{
    reset_into(RSTS_PARTITION);
}

void raspi4_reset(bool alone)
{
    (void)alone;
    reset_into(0);
}
