/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user of the machine said through fw_cfg, on a machine that has it. */
#include "qemu_tree.h"

#define FW_CFG_DATA (FW_CFG_BASE + 0x0)
#define FW_CFG_SELECTOR (FW_CFG_BASE + 0x8)
#define FW_CFG_DIRECTORY 0x0019U
#define FW_CFG_NAME_BYTES 56U

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

bool qemu_tree_wanted(const char *name, char value[WANTED_BYTES])
{
    if (FW_CFG_BASE == 0) {
        return false;
    }
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
