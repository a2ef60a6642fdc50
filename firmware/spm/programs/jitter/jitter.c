/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small RTOS-like program: SysTick releases a periodic task, the background calls secure services. The task says how
 * late it began, at worst, while the background is idle and while it is in one PSA call after another.
 */
#include "ns.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"

#define SYST_CSR      NS_REG32(0xE000E010U)
#define SYST_RVR      NS_REG32(0xE000E014U)
#define SYST_CVR      NS_REG32(0xE000E018U)
#define SCB_SHPR3     NS_REG32(0xE000ED20U)
#define LOWEST        0xE0U /* where schedulers have their tick */
#define PERIOD_TICKS  40009U /* no multiple of any call, so that releases fall everywhere in it */
#define RELEASES      2000U
#define BYTES         256U

static volatile uint32_t releases;
static volatile uint32_t least_ticks;
static volatile uint32_t most_ticks;
static uint8_t in_bytes[BYTES];
static uint8_t out_bytes[BYTES];

/* SysTick counts down from the release on: what it has lost says how late the task is. */
void ns_systick_handler(void)
{
    uint32_t late = PERIOD_TICKS - 1U - SYST_CVR;

    releases++;
    least_ticks = late < least_ticks ? late : least_ticks;
    most_ticks = late > most_ticks ? late : most_ticks;
}

static void idle(void)
{
}

static void empty_calls(void)
{
    psa_call(BENCH_STATELESS_HANDLE, PSA_IPC_CALL, NULL, 0, NULL, 0);
}

static void large_calls(void)
{
    psa_invec in = { in_bytes, BYTES };
    psa_outvec out = { out_bytes, BYTES };

    psa_call(BENCH_STATELESS_HANDLE, PSA_IPC_CALL, &in, 1, &out, 1);
}

static uint32_t jitter_ticks(void (*background)(void))
{
    releases = 0;
    least_ticks = PERIOD_TICKS;
    most_ticks = 0;
    SYST_RVR = PERIOD_TICKS - 1U;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (releases < RELEASES) {
        background();
    }
    SYST_CSR = 0;
    return most_ticks - least_ticks;
}

static void report(const char *priority, uint32_t value)
{
    SCB_SHPR3 = value << 24;
    ns_print(priority);
    ns_print_unsigned(": idle ", jitter_ticks(idle));
    ns_print_unsigned(", empty calls ", jitter_ticks(empty_calls));
    ns_print_unsigned(", calls of 256 bytes ", jitter_ticks(large_calls));
    ns_print("\n");
}

uint32_t ns_main(void)
{
    ns_print("jitter " BENCH_FIRMWARE ", ticks of SysTick over ");
    ns_print_unsigned("", RELEASES);
    ns_print(" releases\n");
    report("at the highest priority", 0);
    report("at the lowest priority", LOWEST);
    return 0;
}
