/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "pinned_thread.h"

#include <sched.h>

int pinned_thread(unsigned cpu, int policy, int priority, void *(*what)(void *), void *argument, pthread_t *thread)
{
    struct sched_param parameters = { .sched_priority = priority };
    pthread_attr_t attributes;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    int error = pthread_attr_setschedpolicy(&attributes, policy);

    error = error != 0 ? error : pthread_attr_setschedparam(&attributes, &parameters);
    error = error != 0 ? error : pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
    error = error != 0 ? error : pthread_create(thread, &attributes, what, argument);
    pthread_attr_destroy(&attributes);
    return error;
}
