/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of wanted length inside the kernel, where no module can be loaded: a BPF program that loops until a time has gone by. It runs in the
 * context of what it is attached to, and stamps begin and end on CLOCK_MONOTONIC. */
#ifndef KERNEL_STRETCH_H
#define KERNEL_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#define STRETCHES 4096U

/* `lost_ns`: of it, how long the clock could not be read. Somebody else had the CPU then. */
struct stretch {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t lost_ns;
    uint64_t unused; /* a power of two is what a program of BPF multiplies by */
};

#define STRETCH_GAP_NS 3000U /* between two readings, more than they ever take */

/* Shared with the program. It stretches `times` more executions by `wanted_ns` each. */
struct stretch_map {
    uint64_t wanted_ns;
    uint64_t times;
    uint64_t cpu;
    uint64_t thread; /* 0: any */
    uint64_t count;
    struct stretch done[STRETCHES];
};

enum stretch_place {
    STRETCH_RAW_TRACEPOINT, /* in the context of the tracepoint */
    STRETCH_TIMER_INTERRUPT, /* in the interrupt of a timer of perf on the CPU, every millisecond */
    STRETCH_PACKET, /* in the softirq that delivers a packet to a socket */
};

/* `tracepoint` of the first place, `socket` of the last. NULL, with the reason on stderr, if the kernel refuses. `thread` 0 in a packet. */
struct stretch_map *kernel_stretch(enum stretch_place place, const char *tracepoint, int socket, unsigned cpu, int thread);

void stretch_arm(struct stretch_map *map, uint64_t wanted_ns, uint64_t times);
bool stretch_is_done(const struct stretch_map *map);

#endif
