/* SPDX-License-Identifier: BSD-3-Clause */
/* The two clocks of a wake-up: CLOCK_MONOTONIC, and the counter that the firmware stamps with. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ULL

static inline uint64_t to_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

static inline struct timespec from_ns(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return to_ns(&now);
}

/* The virtual counter and its rate, read without a barrier; 0 on a machine whose counter user space cannot read. */
#if defined(__aarch64__)
static inline uint64_t counter_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t counter_hz(void)
{
    uint64_t hz;

    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}
#else
static inline uint64_t counter_ticks(void)
{
    return 0;
}

static inline uint64_t counter_hz(void)
{
    return 0;
}
#endif

#endif
