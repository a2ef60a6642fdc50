/* SPDX-License-Identifier: BSD-3-Clause */
#include "timer.h"

#include "gic.h"

#define TIMER_ENABLE 1UL

uint64_t timer_now(void)
{
    uint64_t now;

    /* Without the barrier the counter may be read ahead of what it is to time. */
    __asm__ volatile("isb; mrs %0, cntpct_el0" : "=r"(now)::"memory");
    return now;
}

uint64_t timer_frequency_hz(void)
{
    uint64_t hz;

    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

uint64_t timer_ticks_of_us(uint64_t us)
{
    return us * timer_frequency_hz() / 1000000UL;
}

void timer_start_at(uint64_t deadline)
{
    /* The barrier makes the timer count before the WFI or SMC that relies on it. */
    __asm__ volatile("msr cntp_cval_el0, %0; msr cntp_ctl_el0, %1; isb" ::"r"(deadline), "r"(TIMER_ENABLE));
}

void timer_stop(void)
{
    __asm__ volatile("msr cntp_ctl_el0, xzr; isb" ::: "memory");
}

bool timer_is_on(void)
{
    uint64_t control;

    __asm__ volatile("mrs %0, cntp_ctl_el0" : "=r"(control));
    return (control & TIMER_ENABLE) != 0;
}

static void sleep_until(uint64_t deadline)
{
    timer_start_at(deadline);
    while (timer_now() < deadline) {
        gic_wait_interrupt();
    }
    timer_stop();
}

void timer_sleep_us(uint64_t us)
{
    sleep_until(timer_now() + timer_ticks_of_us(us));
}

void timer_sleep_to_multiple(uint64_t ticks)
{
    sleep_until((timer_now() / ticks + 1) * ticks);
}
