/* SPDX-License-Identifier: BSD-3-Clause */
#include "ns.h"

#define UART0_DATA  NS_REG32(0x40200000U)
#define UART0_STATE NS_REG32(0x40200004U)
#define TX_FULL     1U

void ns_print(const char *text)
{
    for (; *text != '\0'; text++) {
        while ((UART0_STATE & TX_FULL) != 0U) {
        }
        UART0_DATA = (uint8_t)*text;
    }
}

const char *ns_decimal(char text[NS_DECIMAL_BYTES], uint32_t value)
{
    char *place = &text[NS_DECIMAL_BYTES - 1U];

    *place = '\0';
    do {
        *--place = (char)('0' + value % 10U);
        value /= 10U;
    } while (value != 0U);
    return place;
}

void ns_print_unsigned(const char *label, uint32_t value)
{
    char text[NS_DECIMAL_BYTES];

    ns_print(label);
    ns_print(ns_decimal(text, value));
}

void ns_print_signed(const char *label, int32_t value)
{
    ns_print(label);
    ns_print_unsigned(value < 0 ? "-" : "", value < 0 ? 0U - (uint32_t)value : (uint32_t)value);
}

void ns_print_hex(const char *label, uint32_t value)
{
    char digits[] = "0x00000000";

    for (uint32_t i = 9; i >= 2U; i--) {
        digits[i] = "0123456789abcdef"[value & 0xFU];
        value >>= 4;
    }
    ns_print(label);
    ns_print(digits);
}
