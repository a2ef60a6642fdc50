/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a scheduler beside the SPM: two threads call through ns_interface/rtos.c with a lock, the
 * services of one wait for a secure interrupt, a third thread computes. Ticks fall on every instruction of a call.
 */
#include "floating.h"
#include "ns.h"
#include "ns_interface.h"
#include "ns_threads.h"
#include "scheduler.h"
#if THREADS_TICKER
#include "psa_manifest/sid.h"
#include "test_requests.h"
#endif
#include "work.h"

#define STACK_WORDS   1024U
#define STUCK_TICKS   TIMER_HZ /* of TIMER0: a second of the board's time */
#define FIRST_CALLER  2U        /* thread 0 is idle, 1 computes */
#define EXIT_STUCK    2U

static uint32_t stacks[SCHEDULER_THREADS][STACK_WORDS] __attribute__((aligned(8)));
static struct scheduler_mutex mutex;
static uint32_t calls_seen;
static uint32_t seen_at;

static void lock(void)
{
    scheduler_lock(&mutex);
}

static void unlock(void)
{
    scheduler_unlock(&mutex);
}

/* The thread that reports at the end is no caller of its own. */
static int32_t client_id(void)
{
    uint32_t self = scheduler_self();

    return work_client_id(self < FIRST_CALLER ? 0U : self - FIRST_CALLER);
}

static void finish(void)
{
    for (;;) {
        scheduler_sleep();
    }
}

#if THREADS_TICKER
#define TURNS_OF_32_KHZ 37U /* some thousand instructions */

/* A partition with an interrupt of its own works beside the calls, whichever thread runs. */
static bool start_ticker(void)
{
    uint32_t period = TURNS_OF_32_KHZ;
    psa_invec in = { &period, sizeof(period) };

    return (psa_status_t)(uint32_t)nsc_psa_call(TEST_TICKER_HANDLE, psa_control(TICKER_START, 1, 0), &in, NULL) == PSA_SUCCESS;
}

static void report_ticker(void)
{
    struct ticker_report report = { 0 };
    psa_outvec out = { &report, sizeof(report) };

    psa_call(TEST_TICKER_HANDLE, TICKER_STOP, NULL, 0, &out, 1);
    ns_print_unsigned(", interrupts of the ticker ", report.interrupts);
    ns_print_unsigned(", its turns ", report.ticks);
}
#else
static bool start_ticker(void)
{
    return true;
}

static void report_ticker(void)
{
}
#endif

static void idle(void)
{
    while (!work_is_done()) {
        scheduler_yield();
    }

    ns_print("threads " BENCH_FIRMWARE ": ");
    bool pass = work_report();

    report_ticker();
    ns_print_unsigned(", switches ", scheduler_switches);
    ns_print_unsigned(", of these in a call ", scheduler_switches_in_call);
    ns_print("\n");
    ns_stop(pass ? 0U : 1U);
}

static void first_caller(void)
{
    work_call(0);
}

static void second_caller(void)
{
    work_call(1);
}

/* No call came back for a second. */
static void look_for_progress(void)
{
    if (work_calls() != calls_seen || work_is_done()) {
        calls_seen = work_calls();
        seen_at = TIMER0_VALUE;
        return;
    }
    if (seen_at - TIMER0_VALUE > STUCK_TICKS) {
        ns_print("threads: no call comes back any more\n");
        work_report();
        ns_stop(EXIT_STUCK);
    }
}

uint32_t ns_main(void)
{
    static const struct ns_interface_hooks hooks = { lock, unlock, client_id, SPM_SCHEDULE_AT_ONCE ? scheduler_sleep : 0 };
    static const struct work_scheduler scheduler = { scheduler_tick_in, finish };
    static void (*const entries[SCHEDULER_THREADS])(void) = { idle, work_compute, first_caller, second_caller };

    if (nsc_panic_word(0) != 0U) {
        ns_print("threads: the secure side panicked\n");
        return 3;
    }
    timer0_start();
    seen_at = TIMER0_VALUE;
    floats_enable();
    ns_interface_init(&hooks);
    if (!work_prepare(&scheduler) || !start_ticker()) {
        return 4;
    }
    scheduler_on_tick = look_for_progress;
    for (uint32_t i = 0; i < SCHEDULER_THREADS; i++) {
        scheduler_add(entries[i], stacks[i], STACK_WORDS);
    }
    scheduler_start();
}
