/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include "gic.h"
#include "memory_map.h"

#define UART_DR 0x00U
#define UART_FR 0x18U
#define UART_CR 0x30U
#define UART_FR_TRANSMIT_FULL (1U << 5)
#define UART_CR_ENABLE_TRANSMIT (1U << 0 | 1U << 8)

void console_init(void)
{
    mmio_write32(SECURE_UART_BASE + UART_CR, UART_CR_ENABLE_TRANSMIT);
}

static void put(char c)
{
    while ((mmio_read32(SECURE_UART_BASE + UART_FR) & UART_FR_TRANSMIT_FULL) != 0) {
    }
    mmio_write32(SECURE_UART_BASE + UART_DR, (uint8_t)c);
}

void console_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            put('\r');
        }
        put(*text);
    }
}

void console_number(uint64_t value)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10U);
        value /= 10U;
    } while (value != 0);
    while (count != 0) {
        put(digits[--count]);
    }
}

void console_hex(uint64_t value)
{
    console_text("0x");
    for (int shift = 60; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[value >> shift & 0xFU]);
    }
}
