/* SPDX-License-Identifier: BSD-3-Clause */
#include "console.h"

#include "crc32.h"
#include "format.h"

#define REG32(address)     (*(volatile uint32_t *)(address))
#define LINE_SIZE          200U
#define UART_DATA(uart)    REG32((uart) + 0x0U)
#define UART_STATE(uart)   REG32((uart) + 0x4U)
#define UART_CONTROL(uart) REG32((uart) + 0x8U)
#define UART_DIVIDER(uart) REG32((uart) + 0x10U)
#define TX_FULL            1U
#define TX_ENABLE          1U
#define LEAST_DIVIDER      16U
#define SEMIHOSTING_EXIT   0x20U
#define APPLICATION_EXIT   0x20026U

void console_open(uint32_t uart)
{
    UART_DIVIDER(uart) = LEAST_DIVIDER;
    UART_CONTROL(uart) = TX_ENABLE;
}

void console_put(uint32_t uart, const char *text)
{
    for (; *text != '\0'; text++) {
        while ((UART_STATE(uart) & TX_FULL) != 0U) {
        }
        UART_DATA(uart) = (uint8_t)*text;
    }
}

void console_say(uint32_t uart, const char *format, va_list arguments)
{
    char body[LINE_SIZE];
    char line[LINE_SIZE + 24U];
    size_t length = format_text_v(body, sizeof(body), format, arguments);

    if (length >= sizeof(body)) {
        length = sizeof(body) - 1U;
    }
    format_text(line, sizeof(line), "<LLC1:%s *%08lx>\n", body, (unsigned long)crc32_append(0, body, length));
    console_put(uart, line);
}

_Noreturn void leave(uint32_t code)
{
    const uint32_t block[2] = { APPLICATION_EXIT, code };
    register uint32_t r0 __asm__("r0") = SEMIHOSTING_EXIT;
    register const uint32_t *r1 __asm__("r1") = block;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    for (;;) {
        __asm__ volatile("wfi");
    }
}
