/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EL3's identity map of the first 4 GiB: 2 MiB blocks for devices, 4 KiB pages for the secure RAM that holds the
 * firmware, so that code is never writable and data never executable. The normal world's memory is not mapped at all.
 */
#include "arch_el3.h"
#include "sysregs.h"

#define ENTRIES 512U
#define GIBS 4U
#define PAGE_BYTES 0x1000U
#define BLOCK_BYTES 0x200000U
#define PAGE_TABLES 8U

#define TABLE 3U
#define PAGE 3U
#define BLOCK 1U
#define ACCESS_FLAG (1U << 10)
#define INNER_SHAREABLE (3U << 8)
#define READ_ONLY (1U << 7)
#define EXECUTE_NEVER (1ULL << 54)
#define ATTR_DEVICE (0U << 2)
#define ATTR_NORMAL (1U << 2)

#define MAIR_DEVICE_AND_WRITE_BACK 0xFF00U
/* 32-bit addresses, 4 KiB granule, walks cached and inner shareable; bits 31 and 23 are RES1. */
#define TCR (0x80800000U | 3U << 12 | 1U << 10 | 1U << 8 | 32U)
#define SCTLR_MMU_AND_CACHES (1U << 0 | 1U << 2 | 1U << 12 | 1U << 19) /* M, C, I, WXN */

static uint64_t level1[GIBS] __attribute__((aligned(PAGE_BYTES)));
static uint64_t level2[GIBS * ENTRIES] __attribute__((aligned(PAGE_BYTES))); /* one table after the other */
static uint64_t level3[PAGE_TABLES][ENTRIES] __attribute__((aligned(PAGE_BYTES)));

static const uint64_t attributes[] = {
    [ARCH_MAP_DEVICE] = ATTR_DEVICE | EXECUTE_NEVER,
    [ARCH_MAP_CODE] = ATTR_NORMAL | INNER_SHAREABLE | READ_ONLY,
    [ARCH_MAP_CONST] = ATTR_NORMAL | INNER_SHAREABLE | READ_ONLY | EXECUTE_NEVER,
    [ARCH_MAP_DATA] = ATTR_NORMAL | INNER_SHAREABLE | EXECUTE_NEVER,
};

/* The first range in pages begins in the block that level3[0] is for. */
static uint64_t first_block(void)
{
    unsigned i = 0;

    while (platform_map[i].kind == ARCH_MAP_DEVICE) {
        i++;
    }
    return platform_map[i].base / BLOCK_BYTES;
}

static void map_pages(const struct arch_map *map, uint64_t first)
{
    for (uint64_t page = map->base; page < map->end; page += PAGE_BYTES) {
        uint64_t *table = level3[page / BLOCK_BYTES - first];

        level2[page / BLOCK_BYTES] = (uintptr_t)table | TABLE;
        table[page / PAGE_BYTES % ENTRIES] = page | attributes[map->kind] | ACCESS_FLAG | PAGE;
    }
}

static void map_blocks(const struct arch_map *map)
{
    for (uint64_t block = map->base; block < map->end; block += BLOCK_BYTES) {
        level2[block / BLOCK_BYTES] = block | attributes[map->kind] | ACCESS_FLAG | BLOCK;
    }
}

void arch_mmu_build(void);
void arch_mmu_enable(void);

void arch_mmu_build(void)
{
    uint64_t first = first_block();

    for (unsigned gib = 0; gib < GIBS; gib++) {
        level1[gib] = (uintptr_t)&level2[gib * ENTRIES] | TABLE;
    }
    for (unsigned i = 0; i < platform_map_ranges; i++) {
        const struct arch_map *map = &platform_map[i];

        if (map->kind == ARCH_MAP_DEVICE) {
            map_blocks(map);
        } else {
            map_pages(map, first);
        }
    }
    dsb_sy(); /* the tables are in memory before any core walks them */
}

void arch_mmu_enable(void)
{
    SYSREG_WRITE("mair_el3", MAIR_DEVICE_AND_WRITE_BACK);
    SYSREG_WRITE("tcr_el3", TCR);
    SYSREG_WRITE("ttbr0_el3", (uintptr_t)level1);
    tlb_forget(); /* nothing of an earlier life of this core may answer for the new tables */
    SYSREG_WRITE("sctlr_el3", SYSREG_READ("sctlr_el3") | SCTLR_MMU_AND_CACHES);
    isb();
}
