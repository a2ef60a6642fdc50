/* SPDX-License-Identifier: BSD-3-Clause */
/* What the boards of the MPS family have in common: the memory map of both worlds, the console, the way to the non-secure side. */
#include "board.h"
#include "memory_map.h"
#include "number.h"
#include "platform.h"
#include "spm.h"

#define SPCTRL_NSCCFG         REG32(0x50080014U)

#define MPC_CTRL(base)        REG32((base) + 0x00U)
#define MPC_BLK_MAX(base)     REG32((base) + 0x10U)
#define MPC_BLK_CFG(base)     REG32((base) + 0x14U)
#define MPC_BLK_IDX(base)     REG32((base) + 0x18U)
#define MPC_BLK_LUT(base)     REG32((base) + 0x1CU)
#define MPC_AUTO_INCREMENT    (1U << 8)

#define UART_DATA             REG32(UART0_BASE + 0x00U)
#define UART_STATE            REG32(UART0_BASE + 0x04U)
#define UART_CTRL             REG32(UART0_BASE + 0x08U)
#define UART_BAUDDIV          REG32(UART0_BASE + 0x10U)
#define UART_TX_FULL          1U

extern uint32_t ns_agent_stack_top[];

struct spm_panic_record platform_last_panic;

#define REGION(start, end, rights, memory) { (start) | (rights), ((end) - 32U) | (memory) }

#if SPM_LEVEL == 1
#define RAM_REGION 1U

const struct spm_arch_region platform_regions[] = {
    REGION(S_CODE_START, NSC_END, SPM_RBAR_PRIVILEGED_RO, SPM_RLAR_MEMORY),
    [RAM_REGION] = REGION(S_RAM_START, RETAINED_END, SPM_RBAR_PRIVILEGED_RW_XN, SPM_RLAR_MEMORY),
    REGION(NS_CODE_START, NS_CODE_END, SPM_RBAR_PRIVILEGED_RO_XN, SPM_RLAR_MEMORY),
    REGION(NS_RAM_START, NS_RAM_END, SPM_RBAR_PRIVILEGED_RW_XN, SPM_RLAR_MEMORY),
};
const uint32_t platform_region_count = sizeof(platform_regions) / sizeof(platform_regions[0]);

bool platform_is_ram(const struct spm_arch_region *region)
{
    return region->rbar >= platform_regions[RAM_REGION].rbar && region->rlar <= platform_regions[RAM_REGION].rlar;
}
#else
const struct spm_arch_region platform_code_alias =
    REGION(CODE_ALIAS_START, CODE_ALIAS_END, SPM_RBAR_PRIVILEGED_RO_XN, SPM_RLAR_MEMORY);
#endif

void mpc_open(uint32_t mpc, uint32_t first_byte, uint32_t end_byte)
{
    uint32_t block_shift = (MPC_BLK_CFG(mpc) & 0xFU) + 5U;
    uint32_t words = MPC_BLK_MAX(mpc) + 1U;

    MPC_CTRL(mpc) &= ~MPC_AUTO_INCREMENT;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t open = 0;

        for (uint32_t bit = 0; bit < 32U; bit++) {
            uint32_t at = (word * 32U + bit) << block_shift;

            if (at >= first_byte && at < end_byte) {
                open |= 1U << bit;
            }
        }
        MPC_BLK_IDX(mpc) = word;
        MPC_BLK_LUT(mpc) = open;
    }
}

static void sau_region(uint32_t number, uint32_t start, uint32_t end, uint32_t non_secure_callable)
{
    SAU_RNR = number;
    SAU_RBAR = start;
    SAU_RLAR = ((end - 32U) & ~0x1FU) | non_secure_callable << 1 | 1U;
}

/* Regions 0 and 1 are memory: the checks of a client's vectors count on it. */
static void sau_init(void)
{
    sau_region(0, NS_CODE_START, NS_CODE_END, 0);
    sau_region(1, NS_RAM_START, NS_RAM_END, 0);
    sau_region(2, 0x40000000U, 0x50000000U, 0);
    sau_region(3, NSC_START, NSC_END, 1);
    SAU_CTRL = 1;
    SPCTRL_NSCCFG = 1;
    dsb_isb();
}

void platform_init(void)
{
    board_init();
    sau_init();
    for (uint32_t i = 0; i < PLATFORM_IRQS / 32U; i++) {
        NVIC_ITNS(i) = 0xFFFFFFFFU;
    }
    UART_BAUDDIV = 16;
    UART_CTRL = 1;
}

void platform_print(const char *text)
{
    for (; *text != '\0'; text++) {
        while ((UART_STATE & UART_TX_FULL) != 0U) {
        }
        UART_DATA = (uint8_t)*text;
    }
}

void platform_print_hex(const char *label, uint32_t value)
{
    char digits[] = "0x00000000";

    number_hex(&digits[2], value, 8);
    platform_print(label);
    platform_print(digits);
}

/* The agent's stack is left empty: the veneers look for the seal under it. */
_Noreturn void platform_enter_non_secure(void)
{
    const uint32_t *vectors = (const uint32_t *)NS_CODE_START;

    SCB_VTOR_NS = NS_CODE_START;
    __asm__ volatile("mov sp, %3\n\t"
                     "msr msp_ns, %0\n\t"
                     "msr control_ns, %1\n\t"
                     "bic r0, %2, #1\n\t"
                     "mov r4, %1\n\t"
                     "mov r5, %1\n\t"
                     "mov r6, %1\n\t"
                     "mov r7, %1\n\t"
                     "mov r8, %1\n\t"
                     "mov r9, %1\n\t"
                     "mov r10, %1\n\t"
                     "mov r11, %1\n\t"
                     "mov r1, %1\n\t"
                     "mov r2, r1\n\t"
                     "mov r3, r1\n\t"
                     "mov r12, r1\n\t"
                     "mov lr, r1\n\t"
                     "msr apsr_nzcvq, r1\n\t"
                     "bxns r0"
                     :
                     : "r"(vectors[0]), "r"(0U), "r"(vectors[1]), "r"(ns_agent_stack_top)
                     : "r0", "memory");
    __builtin_unreachable();
}

uint32_t platform_panic_word(uint32_t index)
{
    return index < sizeof(platform_last_panic) / 4U ? ((const uint32_t *)(const void *)&platform_last_panic)[index] : 0U;
}
