/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of a low real-time priority that uses up the time of all real-time threads, again and again, and says when it had no CPU for longer
 * than any other plant takes it: begin and end in ns on CLOCK_MONOTONIC. The argument says how often. */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S 1000000000U
#define PRIORITY 3
#define LONG_NS 2000000U
#define MOST_NS 300000000U
#define PAUSE_NS 37000000L

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void burn_until_throttled(void)
{
    const uint64_t begin_ns = now_ns();
    uint64_t last_ns = begin_ns;

    while (last_ns - begin_ns < MOST_NS) {
        const uint64_t ns = now_ns();

        if (ns - last_ns > LONG_NS) {
            printf("throttled %" PRIu64 " %" PRIu64 "\n", last_ns, ns);
            return;
        }
        last_ns = ns;
    }
}

int main(int count, char **words)
{
    const struct sched_param parameters = { .sched_priority = PRIORITY };
    const struct timespec pause = { .tv_nsec = PAUSE_NS };

    if (count != 2 || sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
        return 2;
    }
    for (long left = strtol(words[1], NULL, 10); left > 0; left--) {
        burn_until_throttled();
        nanosleep(&pause, NULL);
    }
    return 0;
}
