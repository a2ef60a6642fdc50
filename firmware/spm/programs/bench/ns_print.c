/* SPDX-License-Identifier: BSD-3-Clause */
#include "ns.h"

#include "memory_map.h"

#include "number.h"

#define UART0_DATA  NS_REG32(UART0_BASE)
#define UART0_STATE NS_REG32(UART0_BASE + 4U)
#define TX_FULL     1U

void ns_print(const char *text)
{
    for (; *text != '\0'; text++) {
        while ((UART0_STATE & TX_FULL) != 0U) {
        }
        UART0_DATA = (uint8_t)*text;
    }
}

void ns_print_unsigned(const char *label, uint32_t value)
{
    char digits[NUMBER_MOST_DIGITS + 1U];

    *number_decimal(digits, value) = '\0';
    ns_print(label);
    ns_print(digits);
}

void ns_print_signed(const char *label, int32_t value)
{
    ns_print(label);
    ns_print_unsigned(value < 0 ? "-" : "", value < 0 ? 0U - (uint32_t)value : (uint32_t)value);
}

void ns_print_hex(const char *label, uint32_t value)
{
    char digits[] = "0x00000000";

    number_hex(&digits[2], value, 8);
    ns_print(label);
    ns_print(digits);
}
