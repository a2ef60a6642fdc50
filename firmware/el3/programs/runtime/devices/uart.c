/* SPDX-License-Identifier: BSD-3-Clause */
#include "uart.h"

#include "machine.h"
#include "mmio.h"

#define UART0 ((uintptr_t)MACHINE_UART)
#define UART_DR (UART0 + 0x0)
#define UART_FR (UART0 + 0x18)
#define UART_LCRH (UART0 + 0x2c)
#define UART_CR (UART0 + 0x30)
#define UART_IMSC (UART0 + 0x38)

#define FR_BUSY (1U << 3)
#define FR_TX_FULL (1U << 5)
#define LCRH_8_BITS (3U << 5)
#define LCRH_FIFO (1U << 4)
#define CR_UART_TX (1U << 0 | 1U << 8)

void uart_init(void)
{
    mmio_write32(UART_IMSC, 0);
    mmio_write32(UART_LCRH, LCRH_8_BITS | LCRH_FIFO);
    mmio_write32(UART_CR, CR_UART_TX);
}

void uart_write(const char *text)
{
    for (; *text; text++) {
        while (mmio_read32(UART_FR) & FR_TX_FULL)
            ;
        mmio_write32(UART_DR, (uint8_t)*text);
    }
}

void uart_drain(void)
{
    while (mmio_read32(UART_FR) & FR_BUSY)
        ;
}
