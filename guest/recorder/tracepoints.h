/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's tracepoints that say what a CPU does: switches, the wake-up of one thread, interrupts, softirqs, idle states. */
#ifndef TRACEPOINTS_H
#define TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#define TRACEPOINTS_MOST 32U
#define TRACEPOINTS_NEEDED 2U /* nothing can be said without the first two */
#define TRACEPOINT_TEXT 4096U

/* `format` is the kernel's own description of the record, as it stands in tracefs. */
struct tracepoint {
    const char *name;
    const char *filter; /* as in tracefs, with the number of the measuring thread to fill in; NULL where all records are of interest */
    uint32_t id;
    bool is_weighted; /* perf counts it by a figure of its own, and writes as many records unless it may write that figure */
    uint32_t format_bytes;
    char format[TRACEPOINT_TEXT];
};

struct tracepoints {
    int error;      /* why there are none; 0 where there are */
    bool with_runtimes; /* the last of them is what threads are charged for */
    unsigned count; /* the first is sched_switch, the second sched_waking */
    struct tracepoint points[TRACEPOINTS_MOST];
};

/*
 * None where there is no tracefs or it has not even the first two. Where it is not mounted, it is mounted for this process alone: nobody else
 * sees that. Before other threads are started. `with_runtimes`: what threads are charged for as well, which is many records.
 */
void tracepoints_find(struct tracepoints *found, bool with_runtimes);

#endif
