/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of the Armv8-M system control space, and what the files of this directory share. */
#ifndef ARMV8M_H
#define ARMV8M_H

#include <stdint.h>

#include "offsets.h"

#define REG32(address) (*(volatile uint32_t *)(address))

#define NVIC_ISER(n)  REG32(0xE000E100U + 4U * (n))
#define NVIC_ICER(n)  REG32(0xE000E180U + 4U * (n))
#define NVIC_ICPR(n)  REG32(0xE000E280U + 4U * (n))
#define NVIC_ITNS(n)  REG32(0xE000E380U + 4U * (n))
#define NVIC_IPR(n)   (*(volatile uint8_t *)(0xE000E400U + (n)))

#define SCB_ICSR      REG32(0xE000ED04U)
#define SCB_VTOR      REG32(0xE000ED08U)
#define SCB_VTOR_NS   REG32(0xE002ED08U)
#define SCB_AIRCR     REG32(0xE000ED0CU)
#define SCB_SHPR2     REG32(0xE000ED1CU)
#define SCB_SHPR3     REG32(0xE000ED20U)
#define SCB_SHCSR     REG32(0xE000ED24U)
#define SCB_CFSR      REG32(0xE000ED28U)
#define SCB_HFSR      REG32(0xE000ED2CU)
#define SCB_MMFAR     REG32(0xE000ED34U)
#define SCB_BFAR      REG32(0xE000ED38U)
#define SCB_CFSR_NS   REG32(0xE002ED28U)
#define SCB_MMFAR_NS  REG32(0xE002ED34U)
#define SCB_BFAR_NS   REG32(0xE002ED38U)

#define MPU_CTRL      REG32(0xE000ED94U)
#define MPU_CTRL_NS   REG32(0xE002ED94U)
#define MPU_RNR       REG32(0xE000ED98U)
#define MPU_RBAR      REG32(0xE000ED9CU)
#define MPU_RLAR      REG32(0xE000EDA0U)
#define MPU_MAIR0     REG32(0xE000EDC0U)

#define SAU_CTRL      REG32(0xE000EDD0U)
#define SAU_RNR       REG32(0xE000EDD8U)
#define SAU_RBAR      REG32(0xE000EDDCU)
#define SAU_RLAR      REG32(0xE000EDE0U)
#define SAU_SFSR      REG32(0xE000EDE4U)
#define SAU_SFAR      REG32(0xE000EDE8U)

#define SCB_CPACR     REG32(0xE000ED88U)
#define SCB_NSACR     REG32(0xE000ED8CU)

#define CPACR_FPU_PRIVILEGED (0x5U << 20)
#define NSACR_FPU            (0x3U << 10)
#define AIRCR_KEY           0x05FA0000U
#define AIRCR_PRIS          (1U << 14)
#define AIRCR_BFHFNMINS     (1U << 13)
#define AIRCR_SYSRESETREQS  (1U << 3)
#define AIRCR_SYSRESETREQ   (1U << 2)
#define SHCSR_FAULTS        0x000F0000U /* MemManage, BusFault, UsageFault, SecureFault */

/* Three priority bits. With PRIS the non-secure priorities and masks lie from 0x80 up. */
#define PRIORITY_URGENT     0x00U
#define PRIORITY_PARTITION  0x40U
#define PRIORITY_UNMASKED   0x60U
#define PRIORITY_LOWEST     0xE0U

/* SAU regions 0 and 1 are memory; a client's vector may lie in no other. */
#define SAU_LAST_MEMORY_REGION 1U

/* Two words at the top of each stack: no exception return and no veneer can be made to pop what lies above. */
#define STACK_SEAL       0xFEF5EDA5U
#define STACK_SEAL_BYTES 8U

static inline void dsb_isb(void)
{
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

void mpu_init(void);
void mpu_load(const struct spm_arch_region *regions);
void priorities_init(void);
void floating_point_init(void);

/* The client ids of TF-M's interface (tfm_clients.c), from the veneers; in handlers of the non-secure side. */
uint32_t spm_tfm_nsce_init(uint32_t wanted);
uint32_t spm_tfm_nsce_acquire_ctx(uint32_t group, uint32_t thread);
uint32_t spm_tfm_nsce_release_ctx(uint32_t token);
uint32_t spm_tfm_nsce_load_ctx(uint32_t token, int32_t id);
uint32_t spm_tfm_nsce_save_ctx(uint32_t token);

#endif
