/* SPDX-License-Identifier: BSD-3-Clause */
/* Which UART of the board has the pins, and that a character waits for room: BCM2711 ARM Peripherals, 2.2, 5.2 and 11.5. */
#include "console.h"

#include "harness.h"
#include "memory_map.h"
#include "registers.h"

#define FUNCTIONS (GPIO_BASE + 0x4U)
#define ALT0 4U
#define ALT5 2U
#define PL011_DATA (PL011_BASE + 0x00U)
#define PL011_FLAGS (PL011_BASE + 0x18U)
#define PL011_CONTROL (PL011_BASE + 0x30U)
#define PL011_FULL (1U << 5)
#define AUX_ENABLES (AUX_BASE + 0x04U)
#define MINI_DATA (AUX_BASE + 0x40U)
#define MINI_STATUS (AUX_BASE + 0x54U)
#define MINI_HAS_ROOM (1U << 5)
#define LOOKS 3U

static unsigned looks;

uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    bool has_room = address == PL011_FLAGS || address == MINI_STATUS ? looks++ % LOOKS == LOOKS - 1U : false;

    if (address == PL011_FLAGS) {
        return has_room ? value & ~PL011_FULL : value | PL011_FULL;
    }
    if (address == MINI_STATUS) {
        return has_room ? value | MINI_HAS_ROOM : value & ~MINI_HAS_ROOM;
    }
    return value;
}

/* Neighbouring pins have other functions, and everything else is on. */
static void a_board(uint32_t function, bool pl011_is_on, bool mini_uart_is_on)
{
    machine_clear();
    machine_set_device(FUNCTIONS, ~(7U << 12) | function << 12);
    machine_set_device(PL011_CONTROL, UINT32_MAX - !pl011_is_on);
    machine_set_device(PL011_FLAGS, UINT32_MAX);
    machine_set_device(AUX_ENABLES, UINT32_MAX - !mini_uart_is_on);
    machine_set_device(MINI_STATUS, UINT32_MAX);
    looks = 0;
    console_init();
}

static void check_put(const char *written, unsigned looked)
{
    console_put((char)0xE9);
    CHECK_TEXT(written, machine_written());
    CHECK_EQUAL(looks, looked);
}

TEST(a_character_goes_to_the_uart_that_has_the_pins_once_it_has_room)
{
    a_board(ALT0, true, false);
    check_put("[fe201000]=e9\n", LOOKS);
    a_board(ALT0, true, true);
    check_put("[fe201000]=e9\n", LOOKS);
    a_board(ALT5, false, true);
    check_put("[fe215040]=e9\n", LOOKS);
    a_board(ALT5, true, true);
    check_put("[fe215040]=e9\n", LOOKS);
}

TEST(nobody_is_told_where_the_uart_that_has_the_pins_is_off)
{
    a_board(ALT0, false, true);
    check_put("", 0);
    a_board(ALT5, true, false);
    check_put("", 0);
    a_board(0, true, false);
    check_put("", 0);
}
