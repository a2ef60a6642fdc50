/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory the machine has, from the device tree that QEMU leaves at the start of DRAM (Devicetree Specification
 * 0.4, chapter 5). It is read once, by the boot core, with the MMU off and before any normal world has run.
 */
#include <stdbool.h>

#include "arch_el3.h"
#include "qemu_virt.h"

#define FDT_MAGIC 0xD00DFEEDU
#define FDT_BEGIN_NODE 1U
#define FDT_PROP 3U
#define FDT_END 9U
#define MEMORY_REG_BYTES 16U /* two cells of address, two of size */

struct fdt_header {
    uint32_t magic;
    uint32_t total_bytes;
    uint32_t struct_offset;
    uint32_t strings_offset;
};

static uint64_t dram_bytes;

static uint32_t big_endian(uint32_t cell)
{
    return __builtin_bswap32(cell);
}

static bool starts_with(const char *text, const char *start)
{
    while (*start != '\0' && *text == *start) {
        text++;
        start++;
    }
    return *start == '\0';
}

static uint32_t cells_of(const char *text)
{
    uint32_t bytes = 0;

    while (text[bytes++] != '\0') {
    }
    return (bytes + 3U) / 4U;
}

static uint64_t memory_bytes(const struct fdt_header *fdt)
{
    const uint32_t *cell = (const uint32_t *)((uintptr_t)fdt + big_endian(fdt->struct_offset));
    const uint32_t *end = (const uint32_t *)((uintptr_t)fdt + big_endian(fdt->total_bytes));
    const char *strings = (const char *)fdt + big_endian(fdt->strings_offset);
    bool in_memory_node = false;

    while (cell < end && big_endian(*cell) != FDT_END) {
        uint32_t token = big_endian(*cell++);

        if (token == FDT_BEGIN_NODE) {
            in_memory_node = starts_with((const char *)cell, "memory@");
            cell += cells_of((const char *)cell);
        } else if (token == FDT_PROP) {
            uint32_t bytes = big_endian(cell[0]);
            const char *name = strings + big_endian(cell[1]);

            cell += 2;
            if (in_memory_node && bytes == MEMORY_REG_BYTES && starts_with(name, "reg")) {
                return (uint64_t)big_endian(cell[2]) << 32 | big_endian(cell[3]);
            }
            cell += (bytes + 3U) / 4U;
        }
    }
    return 0;
}

void platform_early(void)
{
    const struct fdt_header *fdt = (const struct fdt_header *)DRAM_BASE;

    dram_bytes = big_endian(fdt->magic) == FDT_MAGIC ? memory_bytes(fdt) : 0;
}

uint64_t qemu_virt_dram_bytes(void)
{
    return dram_bytes;
}
