/* SPDX-License-Identifier: BSD-3-Clause */
/* EL3's map as its hardware would walk it: DDI 0487, D8 (4 KiB granule, 32-bit addresses). */
#include <string.h>

#include "arch_el3.h"
#include "harness.h"
#include "registers.h"

void arch_mmu_build(void);
void arch_mmu_enable(void);

#define MIB 0x100000UL
#define DEVICES 0x08000000UL
#define DEVICES_END 0x0A000000UL
#define RAM 0x0E000000UL
#define RAM_END (RAM + 16 * MIB)
#define CODE (RAM + 0x1FE000UL) /* over the border of two tables */
#define CODE_END (RAM + 0x202000UL)
#define CONST_END (CODE_END + 0x1000UL)
#define HIGH_DEVICES 0xFE000000UL /* in the last GiB, up to its end */
#define HIGH_DEVICES_END 0x100000000UL

const struct arch_map platform_map[] = {
    { DEVICES, DEVICES_END, ARCH_MAP_DEVICE },
    { HIGH_DEVICES, HIGH_DEVICES_END, ARCH_MAP_DEVICE },
    { RAM, RAM_END, ARCH_MAP_DATA },
    { CODE, CODE_END, ARCH_MAP_CODE },
    { CODE_END, CONST_END, ARCH_MAP_CONST },
};
const unsigned platform_map_ranges = sizeof(platform_map) / sizeof(platform_map[0]);

void harness_before_each(void)
{
    machine_clear();
    machine_set("sctlr_el3", 0x30c50838U);
    arch_mmu_build();
    arch_mmu_enable();
}

enum what { UNMAPPED, DEVICE, CODE_PAGE, CONST_PAGE, DATA_PAGE, WRONG };

static enum what kind_of(uint64_t descriptor)
{
    static const struct {
        uint64_t attributes; /* bits 63:52 and 11:2: XN, AF, SH, AP, NS, AttrIndx */
        enum what what;
    } kinds[] = {
        { 1ULL << 54 | 1U << 10, DEVICE },
        { 1U << 10 | 3U << 8 | 2U << 6 | 1U << 2, CODE_PAGE },
        { 1ULL << 54 | 1U << 10 | 3U << 8 | 2U << 6 | 1U << 2, CONST_PAGE },
        { 1ULL << 54 | 1U << 10 | 3U << 8 | 1U << 2, DATA_PAGE },
    };

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if ((descriptor & ~0xFFFFFFFFFF003ULL) == kinds[i].attributes) {
            return kinds[i].what;
        }
    }
    return WRONG;
}

/* The table that a descriptor names, which is of the development machine and may lie above 48 bits. */
static const uint64_t *table_of(uint64_t descriptor)
{
    return (const uint64_t *)(uintptr_t)(descriptor & ~0xFFFULL);
}

static enum what walk(uint64_t address)
{
    const uint64_t *table = table_of(machine_get("ttbr0_el3"));

    for (unsigned level = 1; level <= 3; level++) {
        unsigned shift = 39 - 9 * level;
        uint64_t descriptor = table[address >> shift & (level == 1 ? 3U : 511U)];

        if ((descriptor & 1) == 0) {
            return UNMAPPED;
        }
        if (level == 3 || (descriptor & 2) == 0) {
            uint64_t place = descriptor & 0xFFFFFFFFF000ULL;
            bool is_right = level == 3 ? (descriptor & 2) != 0 : level == 2;

            return is_right && place == (address & ~((1ULL << shift) - 1)) ? kind_of(descriptor) : WRONG;
        }
        table = table_of(descriptor);
    }
    return WRONG;
}

static enum what should_be(uint64_t address)
{
    if (address >= CODE && address < CODE_END) {
        return CODE_PAGE;
    }
    if (address >= CODE_END && address < CONST_END) {
        return CONST_PAGE;
    }
    if (address >= RAM && address < RAM_END) {
        return DATA_PAGE;
    }
    if (address >= HIGH_DEVICES) {
        return DEVICE;
    }
    return address >= DEVICES && address < DEVICES_END ? DEVICE : UNMAPPED;
}

TEST(every_page_of_the_32_bit_space_is_what_the_platform_says_and_at_its_own_address)
{
    for (uint64_t address = 0; address < 1ULL << 32; address += 0x1000) {
        if (walk(address) != should_be(address)) {
            fail_msg("%llx is mapped as %d, not as %d", (unsigned long long)address, walk(address), should_be(address));
        }
    }
}

TEST(the_mmu_is_turned_on_once_the_tables_are_in_memory_and_nothing_old_is_remembered)
{
    machine_clear();
    machine_set("sctlr_el3", 0x30c50838U);
    arch_mmu_build();
    CHECK_TEXT("dsb sy\n", machine_written());
    arch_mmu_enable();
    uint64_t table = machine_get("ttbr0_el3");

    CHECK_EQUAL(table & 0xFFF, 0);
    CHECK_EQUAL(machine_get("mair_el3"), 0xFF00); /* 0: nGnRnE; 1: write-back, both */
    CHECK_EQUAL(machine_get("sctlr_el3"), 0x30c50838U | 1U | 1U << 2 | 1U << 12 | 1U << 19);

    const char *written = machine_written();
    const char *forgotten = strstr(written, "tlb forgotten\nsctlr_el3=");

    CHECK(forgotten != NULL && strstr(written, "ttbr0_el3=") < forgotten && strstr(written, "tcr_el3=") < forgotten &&
          strstr(written, "mair_el3=") < forgotten);
    CHECK_TEXT("isb\n", written + strlen(written) - 4);
}

TEST(the_walker_is_told_the_size_and_kind_of_the_tables)
{
    uint64_t tcr = machine_get("tcr_el3");

    CHECK_EQUAL(tcr & 0x3F, 32);     /* T0SZ */
    CHECK_EQUAL(tcr >> 8 & 3, 1);    /* IRGN0: write-back, allocating */
    CHECK_EQUAL(tcr >> 10 & 3, 1);   /* ORGN0 */
    CHECK_EQUAL(tcr >> 12 & 3, 3);   /* SH0: inner shareable */
    CHECK_EQUAL(tcr >> 14 & 3, 0);   /* TG0: 4 KiB */
    CHECK_EQUAL(tcr >> 16 & 7, 0);   /* PS: 32 bits */
    CHECK_EQUAL(tcr & ~0x7FFFFULL, 1ULL << 31 | 1U << 23); /* RES1, and no optional feature */
}
