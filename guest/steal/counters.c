/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

#define CPU_CYCLES 0x11U /* the architecture's number of the event */

#define MOST_IN_A_GROUP 8U

/* The two counters first, then what others have added to the group. */
struct group {
    uint64_t count;
    uint64_t cycles;
    uint64_t events;
    uint64_t others[MOST_IN_A_GROUP - 2U];
};

static int open_one(uint32_t type, uint64_t config, unsigned cpu, int leader)
{
    struct perf_event_attr attributes = {
        .type = type,
        .size = sizeof(attributes),
        .config = config,
        .read_format = PERF_FORMAT_GROUP,
        .pinned = leader < 0,
        .use_clockid = 1, /* events that join the group bring the same clock */
        .clockid = CLOCK_MONOTONIC,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel gives the first event of cycles the cycle counter, so the second one finds it taken and gets an event counter. */
int counters_open(struct counters *counters, unsigned cpu)
{
    *counters = (struct counters){ -1, -1 };
    counters->leader = open_one(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpu, -1);
    if (counters->leader < 0) {
        return errno;
    }
    counters->member = open_one(PERF_TYPE_RAW, CPU_CYCLES, cpu, counters->leader);
    if (counters->member < 0) {
        int error = errno;

        counters_close(counters);
        return error;
    }
    return 0;
}

void counters_close(struct counters *counters)
{
    if (counters->member >= 0) {
        close(counters->member);
    }
    if (counters->leader >= 0) {
        close(counters->leader);
    }
    *counters = (struct counters){ -1, -1 };
}

int counters_read(const struct counters *counters, struct reading *reading)
{
    struct group group;

    reading->before_ticks = counter_ticks();
    ssize_t size = read(counters->leader, &group, sizeof(group));

    reading->after_ticks = counter_ticks();
    if (size < 0) {
        return errno;
    }
    if (size < (ssize_t)offsetof(struct group, others) || group.count < 2U) {
        return ENODATA;
    }
    reading->cycles = group.cycles;
    reading->events = group.events;
    return 0;
}
