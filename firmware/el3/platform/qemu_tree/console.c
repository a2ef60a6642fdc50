/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include "gic.h"
#include "memory_map.h"

#define UART_DR 0x00U
#define UART_FR 0x18U
#define UART_CR 0x30U
#define UART_FR_TRANSMIT_FULL (1U << 5)
#define UART_CR_ENABLE (1U << 0 | 1U << 8 | 1U << 9) /* the UART, its transmitter, its receiver */

static uintptr_t also; /* a second PL011 that gets the same, or 0 */

static void enable(uintptr_t uart)
{
    mmio_write32(uart + UART_CR, UART_CR_ENABLE);
}

/* The normal world's is left on too, as the firmware of a board leaves it: not everybody who uses it turns it on first. */
void console_init(void)
{
    enable(SECURE_UART_BASE);
    enable(NS_UART_BASE);
}

void console_everywhere(void)
{
    also = NS_UART_BASE;
}

static void put_to(uintptr_t uart, char c)
{
    while ((mmio_read32(uart + UART_FR) & UART_FR_TRANSMIT_FULL) != 0) {
    }
    mmio_write32(uart + UART_DR, (uint8_t)c);
}

void console_put(char c)
{
    put_to(SECURE_UART_BASE, c);
    if (also != 0) {
        put_to(also, c);
    }
}
