/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread on one CPU with a scheduling policy of its own from its first instruction on. */
#ifndef PINNED_THREAD_H
#define PINNED_THREAD_H

#include <pthread.h>

/* 0 or an errno. SCHED_FIFO, SCHED_RR, or SCHED_OTHER with a `priority` of 0. */
int pinned_thread(unsigned cpu, int policy, int priority, void *(*what)(void *), void *argument, pthread_t *thread);

#endif
