/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine itself: its cores from fw_cfg, its end through the secure GPIO. */
#include "gic.h"
#include "qemu_virt.h"

#define FW_CFG_DATA (FW_CFG_BASE + 0x0U)
#define FW_CFG_SELECTOR (FW_CFG_BASE + 0x8U)
#define FW_CFG_NB_CPUS 0x0005U

#define GPIO_DIRECTION 0x400U
#define GPIO_PIN_DATA(pin) (4U << (pin)) /* the address selects which pins a write touches */
#define GPIO_PIN_POWER_OFF 0U
#define GPIO_PIN_RESET 1U

/* fw_cfg hands out little-endian items byte by byte; its selector is big-endian. */
unsigned qemu_virt_core_count(void)
{
    const volatile uint8_t *data = (const volatile uint8_t *)(uintptr_t)FW_CFG_DATA;

    *(volatile uint16_t *)(uintptr_t)FW_CFG_SELECTOR = __builtin_bswap16(FW_CFG_NB_CPUS);

    unsigned low = *data;

    return low | (unsigned)*data << 8;
}

static void __attribute__((noreturn)) raise_pin(unsigned pin)
{
    mmio_write32(SECURE_GPIO_BASE + GPIO_DIRECTION, 1U << pin);
    mmio_write32(SECURE_GPIO_BASE + GPIO_PIN_DATA(pin), 0);
    mmio_write32(SECURE_GPIO_BASE + GPIO_PIN_DATA(pin), 1U << pin);
    for (;;) {
        __asm__ volatile("dsb sy\n\twfi");
    }
}

void qemu_virt_power_off(void)
{
    raise_pin(GPIO_PIN_POWER_OFF);
}

void qemu_virt_reset(void)
{
    raise_pin(GPIO_PIN_RESET);
}
