/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm MPS2+ with AN521 (or AN505). */
#include "board.h"
#include "memory_map.h"
#include "spm.h"

#define SPCTRL_APBNSPPC0      REG32(0x50080070U)
#define SPCTRL_APBNSPPCEXP1   REG32(0x50080084U)
#define SPCTRL_APBSPPPC0      REG32(0x500800B0U)
#define SPCTRL_APBSPPPC1      REG32(0x500800B4U)
#define SPCTRL_APBSPPPCEXP1   REG32(0x500800C4U)
#define NSPCTRL_APBNSPPPC0    REG32(0x400800B0U)
#define NSPCTRL_APBNSPPPCEXP1 REG32(0x400800C4U)

#define MPC_SSRAM1            0x58007000U
#define MPC_SSRAM3            0x58009000U

void board_init(void)
{
    mpc_open(MPC_SSRAM1, NS_CODE_START - CODE_ALIAS_START, NS_CODE_END - CODE_ALIAS_START);
    mpc_open(MPC_SSRAM3, 0, NS_RAM_END - NS_RAM_START);
    SPCTRL_APBNSPPC0 = 0x3U;           /* TIMER0 and TIMER1; the dual timer stays secure */
    SPCTRL_APBSPPPC0 = 0x7U;           /* unprivileged code may use all of them where its MPU lets it */
    SPCTRL_APBSPPPC1 = 0x1U;           /* the 32 kHz timer */
    NSPCTRL_APBNSPPPC0 = 0x7U;
    SPCTRL_APBNSPPCEXP1 = 1U << 5;     /* UART0; UART1 stays secure */
    SPCTRL_APBSPPPCEXP1 = 0x1FU << 5;  /* any UART: what a partition reaches of them is the MPU's business */
    NSPCTRL_APBNSPPPCEXP1 = 0x1FU << 5;
}
