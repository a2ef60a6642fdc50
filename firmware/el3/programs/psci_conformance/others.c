/* SPDX-License-Identifier: BSD-3-Clause */
#include "others.h"

#include <stdatomic.h>

#include "completion.h"
#include "core.h"
#include "gic.h"
#include "psci.h"
#include "suspend.h"
#include "timer.h"

#define TIMEOUT_US 1000000UL
#define NAP_US 1000UL

struct suspend_order {
    uint32_t power_state;
    uint64_t sleep_us;
};

static struct completion arrived;
static _Atomic uint32_t stop;
static struct suspend_order order;
static _Atomic int64_t suspend_status;

uint32_t other_core_in_cluster(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index && cores[i].cluster == cores[lead_index].cluster) {
            return i;
        }
    }
    return NO_CORE;
}

uint32_t other_core(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            return i;
        }
    }
    return NO_CORE;
}

static void wait_for_stop(void)
{
    while (!atomic_load(&stop)) {
        timer_sleep_us(NAP_US);
    }
}

static void sleeper(uint64_t argument)
{
    (void)argument;
    completion_signal(&arrived, lead_index);
    wait_for_stop();
}

static void suspender(uint64_t argument)
{
    (void)argument;
    completion_signal(&arrived, lead_index);
    if (order.sleep_us != NO_TIMER) {
        timer_start_at(timer_now() + timer_ticks_of_us(order.sleep_us));
    }
    atomic_store(&suspend_status, psci_cpu_suspend(order.power_state, 0).status);
    timer_stop();
    wait_for_stop();
}

static void start(uint32_t index, core_job *job)
{
    atomic_store(&stop, 0);
    completion_reset(&arrived);
    core_start(index, job, 0);
    completion_wait(&arrived, 1, TIMEOUT_US);
}

void other_start(uint32_t index)
{
    start(index, sleeper);
}

void other_start_suspended(uint32_t index, uint32_t power_state, uint64_t sleep_us)
{
    atomic_store(&suspend_status, NOT_BACK);
    order = (struct suspend_order) { .power_state = power_state, .sleep_us = sleep_us };
    start(index, suspender);
}

int64_t other_suspend_status(void)
{
    return atomic_load(&suspend_status);
}

void other_stop(uint32_t index)
{
    atomic_store(&stop, 1);
    core_wait_off(index, TIMEOUT_US);
}
