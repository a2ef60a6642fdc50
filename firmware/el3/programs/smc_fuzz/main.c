/* SPDX-License-Identifier: BSD-3-Clause */
/* Random SMCs on the boot core. Cores that they start look at their context_id and go off again. */
#include <stdatomic.h>

#include "choose.h"
#include "console.h"
#include "core.h"
#include "examine.h"
#include "gic.h"
#include "interrupts.h"
#include "outcomes.h"
#include "panic.h"
#include "payload.h"
#include "psci.h"
#include "timer.h"

#define DEFAULT_CALLS 1000000UL
#define PROGRESS_EVERY 100000UL
#define WAKE_US 100UL
#define ARRIVAL_TIMEOUT_US 1000000UL
#define MS_TO_US 1000UL
#define IS_64_BIT(id) (((id) & 0x40000000U) != 0)

static _Atomic uint64_t arrivals;
static _Atomic uint64_t arrived_context;

/* It goes off inside a handler, now and then, and with its timer fired. */
static void leave_something(uint64_t context_id)
{
    struct random random = { .state = context_id };

    interrupts_enter_for_good(&random);
    if (random_below(&random, 4) == 0) {
        interrupts_past_timer(&random);
    }
}

static void arrival(uint64_t context_id)
{
    interrupts_arrive();
    leave_something(context_id);
    atomic_store(&arrived_context, context_id);
    atomic_fetch_add(&arrivals, 1);
}

/* A 32-bit call passes the low half of it. */
static uint64_t expected_context(const struct fuzz_call *call, const struct smc_frame *before)
{
    return IS_64_BIT(before->x[0]) ? call->context_id : (uint32_t)call->context_id;
}

static void wait_arrival(const struct fuzz_call *call, const struct smc_frame *before, uint64_t arrivals_before)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(ARRIVAL_TIMEOUT_US);

    if (!call->entry_is_own) {
        panic("smc %lu: CPU_ON of MPIDR %lx accepted entry point %lx", call->sequence, before->x[1], before->x[2]);
    }
    while (atomic_load(&arrivals) == arrivals_before) {
        if (timer_now() > deadline) {
            panic("smc %lu: CPU_ON of MPIDR %lx succeeded and the core does not arrive", call->sequence, before->x[1]);
        }
        timer_sleep_us(WAKE_US);
    }
    if (atomic_load(&arrived_context) != expected_context(call, before)) {
        panic("smc %lu: CPU_ON gave the core context_id %lx instead of %lx", call->sequence, atomic_load(&arrived_context),
              expected_context(call, before));
    }
}

static void examine_resume(const struct fuzz_call *call, const struct smc_frame *before, uint64_t context_id)
{
    gic_core_init();
    outcomes_count_resume();
    if (!call->may_suspend || !call->entry_is_own) {
        panic("smc %lu, x0=%lx x1=%lx: a call that is no suspend with this entry point resumed", call->sequence, before->x[0],
              before->x[1]);
    }
    if (context_id != expected_context(call, before)) {
        panic("smc %lu, x0=%lx x1=%lx: resumed with context_id %lx instead of %lx", call->sequence, before->x[0], before->x[1],
              context_id, expected_context(call, before));
    }
}

static void narrow(struct smc_frame *frame)
{
    for (unsigned n = 0; n < sizeof(frame->x) / sizeof(frame->x[0]); n++) {
        frame->x[n] = (uint32_t)frame->x[n];
    }
}

static void fuzz_once(struct random *random, uint64_t sequence)
{
    uint64_t arrivals_before = atomic_load(&arrivals);
    uint32_t entered = GIC_NONE;
    struct fuzz_call call;
    struct smc_frame before;
    struct smc_return back;

    choose_call(&call, random, sequence);
    if (smc_from_aarch32) {
        narrow(&call.frame);
    }
    before = call.frame;
    if (random_below(random, 4) == 0) {
        interrupts_send(random);
        entered = interrupts_enter(random);
    }
    if (call.may_suspend) {
        timer_start_at(timer_now() + timer_ticks_of_us(random_below(random, WAKE_US)));
    }
    back = smc_frame_call(&call.frame);
    if (call.may_suspend) {
        timer_stop();
    }
    interrupts_leave(entered);
    if (back.resumed) {
        examine_resume(&call, &before, back.context_id);
        return;
    }
    outcomes_count(call.frame.x[0]);
    examine(&call, &before);
    if (call.may_start_core && (int32_t)call.frame.x[0] == PSCI_SUCCESS) {
        wait_arrival(&call, &before, arrivals_before);
    }
}

static uint64_t fuzz(uint64_t count, uint64_t duration_ms, uint64_t seed)
{
    uint64_t deadline = duration_ms > 0 ? timer_now() + timer_ticks_of_us(duration_ms * MS_TO_US) : UINT64_MAX;
    struct random random = { .state = seed };
    uint64_t done = 0;

    while (done < count && timer_now() < deadline) {
        fuzz_once(&random, done);
        done++;
        if (done % PROGRESS_EVERY == 0) {
            console_line("smcs=%lu", done);
        }
    }
    return done;
}

void payload_main(const struct bench_params *params)
{
    uint64_t count = params->count;
    uint64_t done;

    if (count == 0) {
        count = params->duration_ms > 0 ? UINT64_MAX : DEFAULT_CALLS;
    }
    core_set_arrival(arrival);
    smc_from_aarch32 = (params->flags & BENCH_FLAG_AARCH32) != 0 && current_el() == 2;
    done = fuzz(count, params->duration_ms, params->seed);
    outcomes_print();
    console_line("called from %s", smc_from_aarch32 ? "AArch32" : "AArch64");
    console_line("cores started: %lu", atomic_load(&arrivals));
    console_line("smcs=%lu status=pass", done);
}
