/* SPDX-License-Identifier: BSD-3-Clause */
/* The secure vector table. Every interrupt of a partition comes through one handler. */
#include "platform.h"
#include "spm.h"

extern uint32_t spm_main_stack_top[];
void Reset_Handler(void);
void fault_handler(void);
void HardFault_Handler(void);
void UsageFault_Handler(void);
void PendSV_Handler(void);
void SVC_Handler(void);

#if !(SPM_GATE_SVC || SPM_GATE_CLASSIC)
#define SVC_Handler fault_handler
#endif
#if SPM_LEVEL == 1
#define UsageFault_Handler fault_handler
#endif
#if !SPM_GATE_SVC
#define HardFault_Handler fault_handler
#endif
#if !SPM_BACKEND_IPC
#define PendSV_Handler fault_handler
#endif

static void irq_handler(void)
{
    uint32_t exception;

    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    spm_irq(exception - 16U);
}

__attribute__((section(".vectors"), used)) void (*const vectors[16 + PLATFORM_IRQS])(void) = {
    [0] = (void (*)(void))(void *)spm_main_stack_top,
    [1] = Reset_Handler,
    [2] = fault_handler,
    [3] = HardFault_Handler,
    [4 ... 5] = fault_handler,
    [6] = UsageFault_Handler,
    [7 ... 10] = fault_handler,
    [11] = SVC_Handler,
    [12 ... 13] = fault_handler,
    [14] = PendSV_Handler,
    [15] = PendSV_Handler, /* SysTick, which no timer pends: a switch that no mask of the non-secure side holds off */
    [16 ... 15 + PLATFORM_IRQS] = irq_handler,
};
