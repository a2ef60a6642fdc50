/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include <stdbool.h>
#include <stddef.h>

#include "gic.h"
#include "memory_map.h"

#define GPIO_FUNCTIONS_10_TO_19 0x4U
#define FUNCTION_OF_PIN_14(functions) ((functions) >> 12 & 7U)
#define FUNCTION_PL011 4U /* ALT0; the mini UART is ALT5 */

#define UART_DR 0x00U
#define UART_FR 0x18U
#define UART_CR 0x30U
#define UART_FR_TRANSMIT_FULL (1U << 5)
#define UART_CR_ENABLE (1U << 0)

#define AUX_ENABLES 0x04U
#define AUX_MINI_UART_ENABLED (1U << 0)
#define MINI_UART_DATA 0x40U
#define MINI_UART_STATUS 0x54U
#define MINI_UART_CAN_TRANSMIT (1U << 5)

/* A UART by its registers: it takes a byte while the masked bits of its status are `ready`. */
struct uart {
    uintptr_t data;
    uintptr_t status;
    uint32_t mask;
    uint32_t ready;
};

static const struct uart pl011 = { PL011_BASE + UART_DR, PL011_BASE + UART_FR, UART_FR_TRANSMIT_FULL, 0 };
static const struct uart mini_uart = { AUX_BASE + MINI_UART_DATA, AUX_BASE + MINI_UART_STATUS, MINI_UART_CAN_TRANSMIT, MINI_UART_CAN_TRANSMIT };

static const struct uart *uart; /* NULL: neither is on */

static bool pl011_has_the_pins(void)
{
    return FUNCTION_OF_PIN_14(mmio_read32(GPIO_BASE + GPIO_FUNCTIONS_10_TO_19)) == FUNCTION_PL011;
}

void console_init(void)
{
    if (pl011_has_the_pins()) {
        uart = (mmio_read32(PL011_BASE + UART_CR) & UART_CR_ENABLE) != 0 ? &pl011 : NULL;
        return;
    }
    uart = (mmio_read32(AUX_BASE + AUX_ENABLES) & AUX_MINI_UART_ENABLED) != 0 ? &mini_uart : NULL;
}

void console_put(char c)
{
    if (uart == NULL) {
        return;
    }
    while ((mmio_read32(uart->status) & uart->mask) != uart->ready) {
    }
    mmio_write32(uart->data, (uint8_t)c);
}
