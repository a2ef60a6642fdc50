/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm MPS3 with AN547: an SSE-300 with a Cortex-M55. Code lies in its ITCM, which has no controller: the SAU alone keeps it. */
#include "board.h"
#include "memory_map.h"
#include "spm.h"

#define SPCTRL_PERIPHNSPPC0      REG32(0x50080070U)
#define SPCTRL_PERIPHNSPPCEXP2   REG32(0x50080088U)
#define SPCTRL_PERIPHSPPPC0      REG32(0x500800B0U)
#define SPCTRL_PERIPHSPPPC1      REG32(0x500800B4U)
#define SPCTRL_PERIPHSPPPCEXP2   REG32(0x500800C8U)
#define NSPCTRL_PERIPHNSPPPC0    REG32(0x400800B0U)
#define NSPCTRL_PERIPHNSPPPCEXP2 REG32(0x400800C8U)

#define MPC_SRAM                 0x57000000U
#define MPC_INTERNAL_SRAM1       0x50084000U

#define COUNTER_CONTROL          REG32(0x58100000U)
#define COUNTER_ENABLE           1U

#define SRAM_START               0x01000000U

void board_init(void)
{
    mpc_open(MPC_SRAM, NS_CODE_START - SRAM_START, NS_CODE_END - SRAM_START);
    mpc_open(MPC_INTERNAL_SRAM1, 0, NS_RAM_END - NS_RAM_START);
    SPCTRL_PERIPHNSPPC0 = 0x3U;         /* TIMER0 and TIMER1; TIMER2 and TIMER3 stay secure */
    SPCTRL_PERIPHSPPPC0 = 0x27U;        /* unprivileged code may use all of them where its MPU lets it */
    SPCTRL_PERIPHSPPPC1 = 0x1U;         /* the 32 kHz timer */
    NSPCTRL_PERIPHNSPPPC0 = 0x27U;
    SPCTRL_PERIPHNSPPCEXP2 = 1U << 3;   /* UART0; UART1 stays secure */
    SPCTRL_PERIPHSPPPCEXP2 = 0x3FU << 3; /* any UART: what a partition reaches of them is the MPU's business */
    NSPCTRL_PERIPHNSPPPCEXP2 = 0x3FU << 3;
    COUNTER_CONTROL = COUNTER_ENABLE;   /* all timers look at it */
}
