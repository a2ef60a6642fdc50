/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine itself: what its user said through fw_cfg, and its end through the secure GPIO. */
#include "arch.h"
#include "gic.h"
#include "qemu_tree.h"

#define FW_CFG_DATA (FW_CFG_BASE + 0x0)
#define FW_CFG_SELECTOR (FW_CFG_BASE + 0x8)
#define FW_CFG_DIRECTORY 0x0019U
#define FW_CFG_NAME_BYTES 56U

#define GPIO_DIRECTION 0x400U
#define GPIO_PIN_DATA(pin) (4U << (pin)) /* the address selects which pins a write touches */
#define GPIO_PIN_POWER_OFF 0U
#define GPIO_PIN_RESET 1U

static uint8_t fw_cfg_byte(void)
{
    return *(const volatile uint8_t *)(uintptr_t)FW_CFG_DATA;
}

/* Items come byte by byte; the selector and the directory are big-endian. */
static uint32_t fw_cfg_number(unsigned bytes)
{
    uint32_t number = 0;

    while (bytes-- != 0) {
        number = number << 8 | fw_cfg_byte();
    }
    return number;
}

static void fw_cfg_select(uint16_t item)
{
    *(volatile uint16_t *)(uintptr_t)FW_CFG_SELECTOR = __builtin_bswap16(item);
}

struct fw_cfg_entry {
    uint32_t bytes;
    uint16_t item;
    bool is_it;
};

static struct fw_cfg_entry next_entry(const char *name)
{
    struct fw_cfg_entry entry = { .bytes = fw_cfg_number(4), .item = (uint16_t)fw_cfg_number(2), .is_it = true };
    bool ended = false;

    (void)fw_cfg_number(2);
    for (unsigned at = 0; at < FW_CFG_NAME_BYTES; at++) {
        char character = (char)fw_cfg_byte();

        entry.is_it = entry.is_it && (ended || character == name[at]);
        ended = ended || character == '\0';
    }
    return entry;
}

bool machine_wanted(const char *name, char value[WANTED_BYTES])
{
    fw_cfg_select(FW_CFG_DIRECTORY);
    for (uint32_t left = fw_cfg_number(4); left != 0; left--) {
        struct fw_cfg_entry entry = next_entry(name);

        if (!entry.is_it || entry.bytes >= WANTED_BYTES) {
            continue;
        }
        fw_cfg_select(entry.item);
        for (uint32_t at = 0; at < entry.bytes; at++) {
            value[at] = (char)fw_cfg_byte();
        }
        value[entry.bytes] = '\0';
        return true;
    }
    return false;
}

/* For entry.S. */
struct arch_shared platform_is_up;

void machine_tell_the_others(unsigned cores)
{
    __asm__ volatile("dsb sy" ::: "memory"); /* what has been set up comes first */
    mmio_write32(SECURE_GPIO_BASE + SECURE_GPIO_EVENT, cores);
    arch_shared_store(&platform_is_up, cores);
    __asm__ volatile("dsb sy\n\tsev" ::: "memory");
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

void machine_power_off(void)
{
    raise_pin(GPIO_PIN_POWER_OFF);
}

void machine_reset(void)
{
    raise_pin(GPIO_PIN_RESET);
}
