/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When does a partition run that an interrupt wakes while the non-secure side computes and makes no call? The thread and
 * its handlers keep patterns in their registers meanwhile.
 */
#include "ns.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define TURNS_OF_32_KHZ 50U
#define RUN_TICKS       1000000U /* of TIMER0: some 32 interrupts */
#define SYST_CSR        NS_REG32(0xE000E010U)
#define SYST_RVR        NS_REG32(0xE000E014U)
#define SYST_CVR        NS_REG32(0xE000E018U)
#define PERIOD_TICKS    3001U
#define HANDLER_TICKS   1500U

static volatile uint32_t handlers;

/* Half of the time is spent in a handler, which is never left for a partition. */
void ns_systick_handler(void)
{
    uint32_t began = TIMER0_VALUE;

    while (began - TIMER0_VALUE < HANDLER_TICKS) {
    }
    handlers++;
}

/* r4 to r11 hold a pattern while TIMER0 counts down by `ticks`. Returns what has changed of them: 0. */
static __attribute__((naked, noinline)) uint32_t compute(uint32_t ticks __attribute__((unused)))
{
    __asm__ volatile("push {r4-r11, lr}\n\t"
                     "ldr r1, =" TIMER0_ADDRESS "\n\t"
                     "ldr r2, [r1]\n\t"
                     "ldr r4, =0x5EEDF00D\n\t"
                     "mov r5, r4\n\tmov r6, r4\n\tmov r7, r4\n\tmov r8, r4\n\tmov r9, r4\n\tmov r10, r4\n\tmov r11, r4\n"
                     "1:\tldr r3, [r1]\n\t"
                     TIMER0_SPENT("r3", "r2", "r3") "\n\t"
                     "cmp r3, r0\n\t"
                     "blo 1b\n\t"
                     "ldr r0, =0x5EEDF00D\n\t"
                     "eor r4, r0\n\teor r5, r0\n\teor r6, r0\n\teor r7, r0\n\teor r8, r0\n\teor r9, r0\n\teor r10, r0\n\teor r11, r0\n\t"
                     "orr r0, r4, r5\n\torr r0, r6\n\torr r0, r7\n\torr r0, r8\n\torr r0, r9\n\torr r0, r10\n\torr r0, r11\n\t"
                     "pop {r4-r11, pc}\n\t"
                     ".ltorg");
}

uint32_t ns_main(void)
{
    uint32_t period = TURNS_OF_32_KHZ;
    struct ticker_report report = { 0 };
    psa_invec in = { &period, sizeof(period) };
    psa_outvec out = { &report, sizeof(report) };
    uint32_t changed;

    if (nsc_panic_word(0) != 0U) {
        ns_print("ticks: the secure side panicked\n");
        return 3;
    }
    timer0_start();
    SYST_RVR = PERIOD_TICKS;
    SYST_CVR = 0;
    SYST_CSR = 7;
    if (psa_call(TEST_TICKER_HANDLE, TICKER_START, &in, 1, NULL, 0) != PSA_SUCCESS) {
        return 1;
    }
    changed = compute(RUN_TICKS);
    if (psa_call(TEST_TICKER_HANDLE, TICKER_STOP, NULL, 0, &out, 1) != PSA_SUCCESS) {
        return 1;
    }
    ns_print_unsigned("ticks " BENCH_FIRMWARE ": interrupts ", report.interrupts);
    ns_print_unsigned(", turns of the partition ", report.ticks);
    ns_print_unsigned(", at worst late by ticks ", report.latest_ticks);
    ns_print_unsigned(", handlers ", handlers);
    ns_print("\n");
    return changed == 0U && handlers > 100U ? 0U : 1U;
}
