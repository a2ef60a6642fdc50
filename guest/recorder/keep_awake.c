/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "keep_awake.h"

#include <sched.h>
#include <stddef.h>

#include "pinned_thread.h"

/* It lowers itself: glibc starts no thread with this policy. */
static void *spin_until(void *argument)
{
    const struct sched_param none = { 0 };
    atomic_int *stop = argument;

    sched_setscheduler(0, SCHED_IDLE, &none);
    while (!atomic_load_explicit(stop, memory_order_relaxed)) {
    }
    return NULL;
}

int keep_awake(unsigned cpu, atomic_int *stop, pthread_t *thread)
{
    return pinned_thread(cpu, SCHED_OTHER, 0, spin_until, stop, thread);
}
