/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The secure MPU, which has eight regions: what every thread sees, and those that change with the partition.
 *
 * Code, and every alias of it, is read-only to everybody. At level 1, where all secure code is privileged, there is
 * nothing beside the regions: not address 0, and no device that no manifest names. From level 2 on the SPM copies
 * between memories that its callers' unprivileged rights were checked for, so it sees the default map itself.
 */
#include "offsets.h"
#include "platform.h"
#include "spm.h"

#define CTRL_ENABLE        0x1U
#define CTRL_DEFAULT_MAP   0x4U /* for privileged code, where no region is */
#define MAIR_NORMAL_DEVICE 0x000000FFU

/* What the partition regions hold now; switch.S keeps it. */
const struct spm_arch_region *mpu_loaded;

static void set_region(uint32_t number, struct spm_arch_region region)
{
    MPU_RNR = number;
    MPU_RLAR = 0; /* the new base with the old limit could lie over code */
    MPU_RBAR = region.rbar;
    MPU_RLAR = region.rlar;
}

#if SPM_LEVEL == 1
static void set_regions(void)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < platform_region_count; i++) {
        set_region(number++, platform_regions[i]);
    }
    for (uint32_t i = 0; i < spm_device_region_count; i++) {
        if (!platform_is_ram(&spm_device_regions[i])) {
            set_region(number++, spm_device_regions[i]);
        }
    }
    MPU_CTRL = CTRL_ENABLE;
}
#else
extern uint32_t spm_code_start[], spm_code_end[], partition_code_start[];
extern uint32_t platform_code_end[];
extern uint32_t spm_ram_start[], spm_ram_end[];

static void set_memory(uint32_t number, const uint32_t *start, const uint32_t *end, uint32_t rights)
{
    set_region(number, (struct spm_arch_region){ (uint32_t)start | rights, ((uint32_t)end - 32U) | SPM_RLAR_MEMORY });
}

static void set_regions(void)
{
    set_memory(0, spm_code_start, spm_code_end, SPM_RBAR_PRIVILEGED_RO);
    set_memory(1, partition_code_start, platform_code_end, SPM_RBAR_UNPRIVILEGED_RO);
    set_memory(2, spm_ram_start, spm_ram_end, SPM_RBAR_PRIVILEGED_RW_XN);
    set_region(MPU_FIFTH_REGION, platform_code_alias);
    MPU_RNR = MPU_FIRST_OF_FOUR;
    MPU_CTRL = CTRL_ENABLE | CTRL_DEFAULT_MAP;
}

/*
 * The alias registers reach four regions from MPU_RNR on. A first-level handler calls this in the middle of anything, a
 * load of the context switch too: so it loads all five, and its caller puts MPU_RNR back.
 */
void mpu_load(const struct spm_arch_region *regions)
{
    const struct spm_arch_region *table = (const struct spm_arch_region *)((uint32_t)regions & ~SPM_ARCH_FIVE_REGIONS);
    bool has_fifth = table != regions;

    mpu_loaded = regions;
    set_region(MPU_FIFTH_REGION, has_fifth ? table[SPM_ARCH_REGIONS] : platform_code_alias);
    MPU_RNR = MPU_FIRST_OF_FOUR;
    for (uint32_t i = 0; i < SPM_ARCH_REGIONS; i++) {
        REG32(0xE000EDA0U + 8U * i) = 0;
        REG32(0xE000ED9CU + 8U * i) = table[i].rbar;
        REG32(0xE000EDA0U + 8U * i) = table[i].rlar;
    }
    dsb_isb();
}
#endif

void mpu_init(void)
{
    MPU_MAIR0 = MAIR_NORMAL_DEVICE;
    set_regions();
    dsb_isb();
}
