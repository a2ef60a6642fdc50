/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-secure reset and vectors. */
#include <stdint.h>

#include "ns.h"

extern uint32_t ns_data_load[], ns_data_start[], ns_data_end[], ns_bss_start[], ns_bss_end[], ns_stack_top[];

/* Semihosting SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit. */
_Noreturn void ns_stop(uint32_t code)
{
    const uint32_t arguments[2] = { 0x20026U, code };
    register uint32_t operation __asm__("r0") = 0x20U;
    register const uint32_t *parameter __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(parameter) : "memory");
    for (;;) {
    }
}

void ns_reset(void);
void ns_reset(void)
{
    const uint32_t *from = ns_data_load;

    for (uint32_t *to = ns_data_start; to < ns_data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = ns_bss_start; to < ns_bss_end; to++) {
        *to = 0;
    }
    ns_stop(ns_main());
}

static void ns_fault(void)
{
    ns_print("NS: fault\n");
    ns_stop(98);
}

/* A program that takes timer interrupts defines its own. */
__attribute__((weak)) void ns_timer1_handler(void)
{
    ns_fault();
}

__attribute__((weak)) void ns_systick_handler(void)
{
    ns_fault();
}

__attribute__((weak)) void ns_svc_handler(void)
{
    ns_fault();
}

__attribute__((weak)) void ns_pendsv_handler(void)
{
    ns_fault();
}

#define SVC        11
#define PENDSV     14
#define SYSTICK    15
#define TIMER1_IRQ 4

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 32])(void) = {
    [0] = (void (*)(void))(void *)ns_stack_top,
    [1] = ns_reset,
    [2 ... SVC - 1] = ns_fault,
    [SVC] = ns_svc_handler,
    [SVC + 1 ... PENDSV - 1] = ns_fault,
    [PENDSV] = ns_pendsv_handler,
    [SYSTICK] = ns_systick_handler,
    [16 ... 15 + TIMER1_IRQ] = ns_fault,
    [16 + TIMER1_IRQ] = ns_timer1_handler,
    [17 + TIMER1_IRQ ... 47] = ns_fault,
};
