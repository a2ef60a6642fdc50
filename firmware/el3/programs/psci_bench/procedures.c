/* SPDX-License-Identifier: BSD-3-Clause */
#include "procedures.h"

#include "completion.h"
#include "core.h"
#include "sync.h"
#include "timer.h"

#define TIMEOUT_US 10000000UL
/* After its CPU_ON the lead has a few instructions left before it sleeps. The core under test lets it finish them. */
#define SETTLE_US 1000UL

struct measurement measurements[MAX_CORES];
static struct barrier start_line;
static struct completion finished;

static void make_call(const struct bench_test *test)
{
    struct measurement *measurement = &measurements[core_self()];

    if (test->power_state == 0) {
        measure_version(measurement);
    } else {
        measure_suspend(measurement, test->power_state, test->wake_us);
    }
}

static void parallel_core(uint64_t argument)
{
    barrier_wait(&start_line, core_count);
    make_call((const struct bench_test *)argument);
    completion_signal(&finished, lead_index);
}

void procedure_parallel(const struct bench_test *test)
{
    completion_reset(&finished);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_start(i, parallel_core, (uint64_t)test);
        }
    }
    barrier_wait(&start_line, core_count);
    make_call(test);
    completion_wait(&finished, core_count - 1, TIMEOUT_US);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            core_wait_off(i, TIMEOUT_US);
        }
    }
}

static void serial_core(uint64_t argument)
{
    timer_sleep_us(SETTLE_US);
    make_call((const struct bench_test *)argument);
    completion_signal(&finished, lead_index);
}

void procedure_serial(const struct bench_test *test)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i == lead_index) {
            continue;
        }
        completion_reset(&finished);
        core_start(i, serial_core, (uint64_t)test);
        completion_wait(&finished, 1, TIMEOUT_US);
        core_wait_off(i, TIMEOUT_US);
    }
    make_call(test);
}

static void off_core(uint64_t argument)
{
    (void)argument;
    timer_sleep_us(SETTLE_US);
    measure_begin(&measurements[core_self()]);
    core_off();
}

static void on_core(uint64_t argument)
{
    struct measurement *measurement = &measurements[core_self()];

    (void)argument;
    measure_end(measurement, 0);
    completion_signal(&finished, lead_index);
}

void procedure_off_serial(const struct bench_test *test)
{
    /* No signal before CPU_OFF: the lead would run while the core is measured. It sleeps until AFFINITY_INFO says OFF. */
    for (uint32_t i = 0; i < core_count; i++) {
        if (i == lead_index) {
            continue;
        }
        core_start(i, off_core, 0);
        core_wait_off(i, TIMEOUT_US);
    }
    make_call(test);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i == lead_index) {
            continue;
        }
        completion_reset(&finished);
        core_start(i, on_core, 0);
        completion_wait(&finished, 1, TIMEOUT_US);
        core_wait_off(i, TIMEOUT_US);
    }
}
