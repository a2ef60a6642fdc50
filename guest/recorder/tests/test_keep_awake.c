/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "keep_awake.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "pinned_thread.h"

static unsigned any_cpu(void)
{
    int cpu = sched_getcpu();

    return cpu < 0 ? 0 : (unsigned)cpu;
}

/* Of this process beside its first thread. */
static pid_t other_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    pid_t found = 0;

    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        pid_t number = (pid_t)strtol(task->d_name, NULL, 10);

        found = number != 0 && number != getpid() ? number : found;
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return found;
}

TEST(what_keeps_a_cpu_awake_gives_way_to_everything_else)
{
    atomic_int stop = false;
    pthread_t thread;
    int policy = -1;

    CHECK_EQUAL(keep_awake(any_cpu(), &stop, &thread), 0);
    for (unsigned i = 0; i < 5000U && policy != SCHED_IDLE; i++) {
        usleep(1000);
        policy = sched_getscheduler(other_thread());
    }
    CHECK_EQUAL(policy, SCHED_IDLE);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

TEST(a_policy_that_a_thread_cannot_begin_with_is_refused)
{
    pthread_t thread;

    CHECK_EQUAL(pinned_thread(any_cpu(), SCHED_IDLE, 0, NULL, NULL, &thread), EINVAL);
}
