/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure MPU: what every thread sees, and the four regions that change with the partition. */
#include "spm.h"

extern uint32_t spm_code_start[], spm_code_end[], partition_code_start[], partition_code_end[];
extern uint32_t spm_ram_start[], spm_ram_end[];

#define FIRST_PARTITION_REGION 4U
#define RBAR_PRIVILEGED_RO     0x4U
#define RBAR_UNPRIVILEGED_RO   0x6U
#define RBAR_PRIVILEGED_RW_XN  0x1U
#define CTRL_ENABLE            0x5U /* enabled, privileged code sees the rest as the default map has it */
#define MAIR_NORMAL_DEVICE     0x000000FFU

/* What the four partition regions hold now; switch.S keeps it. */
const struct spm_arch_region *mpu_loaded;

static void set_region(uint32_t number, uint32_t rbar, uint32_t rlar)
{
    MPU_RNR = number;
    MPU_RBAR = rbar;
    MPU_RLAR = rlar;
}

static void set_memory(uint32_t number, const uint32_t *start, const uint32_t *end, uint32_t rights)
{
    set_region(number, (uint32_t)start | rights, ((uint32_t)end - 32U) | SPM_RLAR_MEMORY);
}

void mpu_init(void)
{
    MPU_MAIR0 = MAIR_NORMAL_DEVICE;
    set_memory(0, spm_code_start, spm_code_end, RBAR_PRIVILEGED_RO);
    set_memory(1, partition_code_start, partition_code_end, RBAR_UNPRIVILEGED_RO);
    set_memory(2, spm_ram_start, spm_ram_end, RBAR_PRIVILEGED_RW_XN);
    MPU_RNR = FIRST_PARTITION_REGION;
    MPU_CTRL = CTRL_ENABLE;
    dsb_isb();
}

/* The alias registers reach the four regions from MPU_RNR on, which is never moved again. */
void mpu_load(const struct spm_arch_region *regions)
{
    mpu_loaded = regions;
    for (uint32_t i = 0; i < SPM_ARCH_REGIONS; i++) {
        REG32(0xE000ED9CU + 8U * i) = regions[i].rbar;
        REG32(0xE000EDA0U + 8U * i) = regions[i].rlar;
    }
    dsb_isb();
}
