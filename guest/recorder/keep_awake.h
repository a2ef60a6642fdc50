/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that keeps a CPU from sleeping, and gives way to whatever else wants it. */
#ifndef KEEP_AWAKE_H
#define KEEP_AWAKE_H

#include <pthread.h>
#include <stdatomic.h>

/* Until `stop` is set, which stays. 0 or an errno. */
int keep_awake(unsigned cpu, atomic_int *stop, pthread_t *thread);

#endif
