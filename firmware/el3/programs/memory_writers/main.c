/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protected memory that every core but the lead writes while the lead resets the machine: what does the next boot find? Each boot says
 * how many pages are not zero; there is no end but that of the emulator. With one core the lead writes them all and is alone.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "console.h"
#include "core.h"
#include "machine.h"
#include "payload.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"
#include "uart.h"

#define FIRST (MACHINE_MEMORY - 0x18000000UL) /* below the code that writes: a wipe from below comes to these pages first */
#define PAGES 0x7000UL
#define PAGE 0x1000UL
#define MARK 0x0123456789abcdefUL
#define WARM_RESET 0
#define POLL_US 1000UL

static _Atomic uint64_t rounds;

static volatile uint64_t *page(uint64_t number)
{
    return (volatile uint64_t *)(FIRST + number * PAGE);
}

static uint64_t count_left(void)
{
    uint64_t left = 0;

    for (uint64_t i = 0; i < PAGES; i++) {
        left += *page(i) != 0;
    }
    return left;
}

static void write_all(void)
{
    for (uint64_t i = 0; i < PAGES; i++) {
        *page(i) = MARK;
    }
    atomic_fetch_add(&rounds, 1);
}

static void write_for_ever(uint64_t argument)
{
    (void)argument;
    for (;;) {
        write_all();
    }
}

void payload_main(const struct bench_params *params)
{
    (void)params;
    uint64_t left = count_left();
    int64_t was = (int32_t)smc(PSCI_MEM_PROTECT, 1, 0, 0).x[0];

    console_line("protected=%ld left=%lu of %lu", was, left, PAGES);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_start(i, write_for_ever, 0);
        }
    }
    if (core_count == 1) {
        write_all();
    }
    while (atomic_load(&rounds) < core_count) {
        timer_sleep_us(POLL_US);
    }
    uart_drain();
    smc(SMC64(PSCI_SYSTEM_RESET2), WARM_RESET, 0, 0);
}
