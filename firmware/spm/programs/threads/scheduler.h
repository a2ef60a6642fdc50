/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small preemptive scheduler: what an RTOS does between the non-secure side's threads, and no more. SysTick and PendSV
 * have the lowest priority, as RTOSes have them. A switch keeps r4 to r11, the stack and its limit, the way back into the
 * thread (which may lie in the middle of the secure side) and s16 to s31 where the thread uses the floating-point unit.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULER_THREADS 4U

/* Before scheduler_start(). Threads are privileged and never return. The first one never sleeps. */
void scheduler_add(void (*entry)(void), uint32_t *stack, uint32_t words);

/* Begins with the first thread. Does not return. */
_Noreturn void scheduler_start(void);

/* In a thread: the next tick comes so many processor clocks from now; after it, every SCHEDULER_PERIOD_TICKS. */
#define SCHEDULER_PERIOD_TICKS 30000U
void scheduler_tick_in(uint32_t ticks);

/* In a thread: lets another one run, if one can. */
void scheduler_yield(void);

/* In a thread: sleeps until the next tick, so that every other thread may run. */
void scheduler_sleep(void);

/* Which thread runs: 0 for the first that was added. */
uint32_t scheduler_self(void);

/* A mutex whose waiters sleep. In threads. */
struct scheduler_mutex {
    volatile bool taken;
    volatile uint32_t waiting; /* a bit for each thread */
};
void scheduler_lock(struct scheduler_mutex *mutex);
void scheduler_unlock(struct scheduler_mutex *mutex);

/* Switches so far: from one thread to another, and of these with the first one in the secure side. */
extern volatile uint32_t scheduler_switches;
extern volatile uint32_t scheduler_switches_in_call;

/* Called at each tick, in its handler. */
extern void (*scheduler_on_tick)(void);

#endif
