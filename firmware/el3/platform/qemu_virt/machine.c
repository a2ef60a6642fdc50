/* SPDX-License-Identifier: BSD-3-Clause */
/* How the machine ends: through the secure GPIO. */
#include "gic.h"
#include "qemu_tree.h"

#define GPIO_DIRECTION 0x400U
#define GPIO_PIN_DATA(pin) (4U << (pin)) /* the address selects which pins a write touches */
#define GPIO_PIN_POWER_OFF 0U
#define GPIO_PIN_RESET 1U

static void __attribute__((noreturn)) raise_pin(unsigned pin)
{
    mmio_write32(SECURE_GPIO_BASE + GPIO_DIRECTION, 1U << pin);
    mmio_write32(SECURE_GPIO_BASE + GPIO_PIN_DATA(pin), 0);
    mmio_write32(SECURE_GPIO_BASE + GPIO_PIN_DATA(pin), 1U << pin);
    for (;;) {
        __asm__ volatile("dsb sy\n\twfi");
    }
}

void machine_power_off(void)
{
    raise_pin(GPIO_PIN_POWER_OFF);
}

void machine_reset(void)
{
    raise_pin(GPIO_PIN_RESET);
}
