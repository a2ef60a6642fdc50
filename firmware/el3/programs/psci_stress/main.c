/* SPDX-License-Identifier: BSD-3-Clause */
/* Random on, off and suspend transitions on all cores. */
#include "console.h"
#include "core.h"
#include "interrupts.h"
#include "ledger.h"
#include "payload.h"
#include "power_states.h"
#include "psci.h"
#include "random.h"
#include "smc.h"
#include "timer.h"
#include "uart.h"
#include "watchdog.h"
#include "worker.h"

#define DEFAULT_TRANSITIONS 10000UL
#define PROGRESS_EVERY 1000UL
#define OBSERVE_TRANSITIONS 500UL
#define OFF_TIMEOUT_US 30000000UL
#define POLL_US 10000UL
#define MS_TO_US 1000UL
#define LAST_SENDS 64
#define LAST_ROUNDS 16

/* A core may have been started by one that went off later: after the first round nobody is left who starts another. */
#define OFF_ROUNDS 2

static void print_progress(uint64_t *printed)
{
    while (worker_transitions() >= *printed + PROGRESS_EVERY) {
        *printed += PROGRESS_EVERY;
        console_line("transitions=%lu", *printed);
    }
}

/* Where every core hangs in the firmware none is left to say so. So for half of the run the lead makes no call that could hang. */
static void observe(void)
{
    uint64_t before = worker_transitions();

    watchdog_enter(ACTIVITY_BETWEEN_CALLS, 0);
    watchdog_check();
    timer_sleep_us(POLL_US);
    if (worker_transitions() == before && worker_all_others_left()) {
        worker_start_another();
    }
}

static void run(uint64_t count, uint64_t duration_ms)
{
    uint64_t deadline = duration_ms > 0 ? timer_now() + timer_ticks_of_us(duration_ms * MS_TO_US) : UINT64_MAX;
    uint64_t printed = 0;

    while (worker_transitions() < count && timer_now() < deadline) {
        if (core_count > 1 && worker_transitions() / OBSERVE_TRANSITIONS % 2 == 0) {
            observe();
        } else {
            worker_step();
        }
        print_progress(&printed);
    }
}

static void wait_off(uint32_t index)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(OFF_TIMEOUT_US);

    while (psci_affinity_info(cores[index].mpidr, 0) != AFFINITY_OFF) {
        if (timer_now() > deadline) {
            watchdog_end("a core does not go off at the end");
        }
        timer_sleep_us(POLL_US);
    }
}

static void wait_all_off(void)
{
    watchdog_enter(ACTIVITY_FINISHED, 0);
    worker_stop();
    for (uint32_t round = 0; round < OFF_ROUNDS; round++) {
        for (uint32_t i = 0; i < core_count; i++) {
            if (i != lead_index) {
                wait_off(i);
            }
        }
    }
}

static uint64_t lost_arrivals(void)
{
    uint64_t lost = 0;

    for (uint32_t i = 0; i < core_count; i++) {
        lost += ledger_granted(i) - ledger_arrived(i);
    }
    return lost;
}

/* As soon as the core says that it is off it is started again, and then goes off: wake-ups come to a core that needs none any more. */
static void start_again_and_again(uint32_t target)
{
    for (uint32_t round = 0; round < LAST_ROUNDS; round++) {
        while (psci_cpu_on(cores[target].mpidr, (uint64_t)payload_secondary, ledger_offer(lead_index, target)) != PSCI_SUCCESS)
            ;
        ledger_grant(lead_index, target);
    }
}

/* Whatever a core that is off may have pending or have been in is there. */
static _Noreturn void leave_all_off(uint64_t seed)
{
    struct random random = { .state = seed };

    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            start_again_and_again(i);
        }
    }
    for (uint32_t i = 0; i < core_count; i++) {
        while (i != lead_index && psci_affinity_info(cores[i].mpidr, 0) != AFFINITY_OFF)
            ;
    }
    for (uint32_t i = 0; i < LAST_SENDS; i++) {
        interrupts_send(&random);
    }
    interrupts_enter_for_good(&random);
    interrupts_past_timer(&random);
    console_line("the last core goes off");
    uart_drain();
    core_off();
}

void payload_main(const struct bench_params *params)
{
    uint64_t count = params->count;
    uint64_t lost;

    if (count == 0) {
        count = params->duration_ms > 0 ? UINT64_MAX : DEFAULT_TRANSITIONS;
    }
    power_states_probe();
    worker_init(params->seed, (params->flags & BENCH_FLAG_DELAYS) != 0);
    if ((params->flags & BENCH_FLAG_OS_INITIATED) != 0) {
        power_states_os_initiated();
    }
    core_set_arrival(worker_arrival);
    run(count, params->duration_ms);
    wait_all_off();
    lost = lost_arrivals();
    for (uint32_t i = 0; i < core_count; i++) {
        console_line("core %u.%u: granted=%lu arrived=%lu", cores[i].cluster, cores[i].core, ledger_granted(i),
                     ledger_arrived(i));
    }
    console_line("transitions=%lu lost=%lu status=%s", worker_transitions(), lost, lost == 0 ? "pass" : "fail");
    if ((params->flags & BENCH_FLAG_ALL_OFF) != 0) {
        leave_all_off(params->seed);
    }
}
