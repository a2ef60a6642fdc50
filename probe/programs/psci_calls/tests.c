/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests.h"

#include "completion.h"
#include "core.h"
#include "gic.h"
#include "marks.h"
#include "panic.h"
#include "psci.h"
#include "suspend.h"
#include "sync.h"
#include "timer.h"

#define TIMEOUT_US 200000UL
/* After its CPU_ON the lead has a few instructions left before it sleeps. The core under test lets it finish them. */
#define SETTLE_US 1000UL

static struct barrier start_line;
static struct completion finished;

static void suspend(const struct call *call)
{
    struct suspend_result r;

    timer_start_at(timer_now() + timer_ticks_of_us(call->wake_us));
    mark(MARK_BEGIN, call->test, call->iteration);
    r = psci_cpu_suspend(call->power_state, 0);
    mark(MARK_END, call->test, call->iteration);
    timer_stop();
    if (r.status != PSCI_SUCCESS) {
        panic("CPU_SUSPEND %08x returned %ld", call->power_state, r.status);
    }
}

static void make_call(const struct call *call)
{
    if (call->power_state != 0) {
        suspend(call);
        return;
    }
    mark(MARK_BEGIN, call->test, call->iteration);
    smc(PSCI_VERSION, 0, 0, 0);
    mark(MARK_END, call->test, call->iteration);
}

static void all_off(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_wait_off(i, TIMEOUT_US);
        }
    }
}

static void parallel_core(uint64_t argument)
{
    barrier_wait(&start_line, core_count);
    make_call((const struct call *)argument);
    completion_signal(&finished, lead_index);
}

void test_parallel(const struct call *call)
{
    completion_reset(&finished);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_start(i, parallel_core, (uint64_t)call);
        }
    }
    barrier_wait(&start_line, core_count);
    make_call(call);
    completion_wait(&finished, core_count - 1, TIMEOUT_US);
    all_off();
}

static void repeat_version(const struct call *call)
{
    struct call each = *call;

    for (each.iteration = 0; each.iteration < call->iterations; each.iteration++) {
        barrier_wait(&start_line, core_count);
        make_call(&each);
    }
    barrier_wait(&start_line, core_count);
}

static void version_core(uint64_t argument)
{
    const struct call *call = (const struct call *)argument;

    repeat_version(call);
    while (call->stay_on) {
        gic_wait_interrupt();
    }
}

void test_version(const struct call *call)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_start(i, version_core, (uint64_t)call);
        }
    }
    repeat_version(call);
    if (!call->stay_on) {
        all_off();
    }
}

/* One core does the job, then goes off. */
static void on_one(uint32_t index, core_job *job, const struct call *call)
{
    completion_reset(&finished);
    core_start(index, job, (uint64_t)call);
    completion_wait(&finished, 1, TIMEOUT_US);
    core_wait_off(index, TIMEOUT_US);
}

static void serial_core(uint64_t argument)
{
    timer_sleep_us(SETTLE_US);
    make_call((const struct call *)argument);
    completion_signal(&finished, lead_index);
}

void test_serial(const struct call *call)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            on_one(i, serial_core, call);
        }
    }
    make_call(call);
}

static void off_core(uint64_t argument)
{
    const struct call *call = (const struct call *)argument;

    timer_sleep_us(SETTLE_US);
    mark(MARK_BEGIN, call->test, call->iteration);
    core_off();
}

static void on_core(uint64_t argument)
{
    const struct call *call = (const struct call *)argument;

    mark(MARK_END, call->test, call->iteration);
    completion_signal(&finished, lead_index);
}

void test_off_serial(const struct call *call)
{
    /* No signal before CPU_OFF: the lead would run while the core is measured. It sleeps until AFFINITY_INFO says OFF. */
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_start(i, off_core, (uint64_t)call);
            core_wait_off(i, TIMEOUT_US);
        }
    }
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            on_one(i, on_core, call);
        }
    }
}

void test_lead_alone(const struct call *call)
{
    make_call(call);
}
