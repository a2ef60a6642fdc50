/* SPDX-License-Identifier: BSD-3-Clause */
/* The two PL011: a character waits while a transmitter is full, which no emulator's is. */
#include "console.h"

#include "harness.h"
#include "memory_map.h"
#include "registers.h"

#define DATA 0x00U
#define FLAGS 0x18U
#define CONTROL 0x30U
#define FULL (1U << 5)
#define LOOKS 3U

static unsigned looks; /* at the flags of the UART that is asked, before it takes a character */

/* Everything else in the flags may be set. */
uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    CHECK(address == SECURE_UART_BASE + FLAGS || address == NS_UART_BASE + FLAGS);
    return looks++ % LOOKS == LOOKS - 1U ? value & ~FULL : value | FULL;
}

void harness_before_each(void)
{
    machine_clear();
    machine_set_device(SECURE_UART_BASE + FLAGS, UINT32_MAX);
    machine_set_device(NS_UART_BASE + FLAGS, UINT32_MAX);
    looks = 0;
}

TEST(both_uarts_are_turned_on_with_transmitter_and_receiver)
{
    console_init();
    machine_want("[%x]=301\n[%x]=301\n", SECURE_UART_BASE + CONTROL, NS_UART_BASE + CONTROL);
    CHECK_TEXT(machine_expected(), machine_written());
}

TEST(a_character_goes_to_the_secure_uart_once_it_has_room_and_to_both_when_all_are_to_see_it)
{
    console_put('a');
    machine_want("[%x]=61\n", SECURE_UART_BASE + DATA);
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(looks, LOOKS);
    console_everywhere();
    console_put((char)0xE9);
    machine_want("[%x]=e9\n[%x]=e9\n", SECURE_UART_BASE + DATA, NS_UART_BASE + DATA);
    CHECK_TEXT(machine_expected(), machine_written());
    CHECK_EQUAL(looks, 3U * LOOKS);
}
