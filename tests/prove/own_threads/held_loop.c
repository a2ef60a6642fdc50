/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A periodic loop in a control group that holds it off its CPU. Usage: held_loop TASKS PRIORITY CYCLES, where TASKS is the group's file of
 * tasks and a priority of 0 is none of real time. It prints the end of each cycle and for how long it had no CPU in it, in ns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 5000000ULL
#define WORK_NS 1000000ULL
#define GONE_NS 2000000ULL

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec at = { .tv_sec = (time_t)(ns / 1000000000ULL), .tv_nsec = (long)(ns % 1000000000ULL) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

int main(int argc, char **argv)
{
    struct sched_param parameter = { .sched_priority = argc == 4 ? atoi(argv[2]) : 0 };
    int tasks = argc == 4 ? open(argv[1], O_WRONLY) : -1;
    uint64_t due_ns = now_ns();

    if (tasks < 0 || dprintf(tasks, "%d", (int)getpid()) < 0 ||
        (parameter.sched_priority != 0 && sched_setscheduler(0, SCHED_FIFO, &parameter) != 0)) {
        perror("held_loop");
        return 2;
    }
    for (unsigned long i = strtoul(argv[3], NULL, 10); i > 0; i--) {
        due_ns += PERIOD_NS;
        sleep_until(due_ns);
        uint64_t last_ns = now_ns();
        uint64_t gone_ns = 0;

        for (uint64_t worked_ns = 0; worked_ns < WORK_NS;) {
            uint64_t ns = now_ns();

            if (ns - last_ns > GONE_NS) {
                gone_ns += ns - last_ns;
            } else {
                worked_ns += ns - last_ns;
            }
            last_ns = ns;
        }
        printf("%llu %llu\n", (unsigned long long)last_ns, (unsigned long long)gone_ns);
    }
    return 0;
}
