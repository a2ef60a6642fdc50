/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of kernel events before late wake-ups: appended blocks, each with its CRC-32 (docs/explanation/wakeup-causes.md). */
#ifndef KERNEL_EVENTS_FILE_H
#define KERNEL_EVENTS_FILE_H

#include "kernel_events.h"
#include "record_file.h"
#include "work_names.h"

#define KERNEL_EVENTS_MAGIC "LLKEV2\r\n"
#define KERNEL_EVENTS_FILE_MOST (64ULL << 20) /* what comes later is counted as dropped */
#define KERNEL_EVENTS_LATE_MOST 20000U        /* late wake-ups; the same */

enum block_kind {
    BLOCK_METER = 1,  /* lines of text, as the steal meter's: what each CPU's counters show */
    BLOCK_FORMAT = 2, /* a tracepoint's description by the kernel, as text */
    BLOCK_CLOSED = 3, /* a CPU whose events cannot be opened: its number and an errno, 32 bits each */
    BLOCK_LATE = 4,   /* a struct late_head and its records */
    BLOCK_END = 5,    /* for each CPU: its number, and how many late wake-ups are not in the file, 64 bits each */
    BLOCK_NAMES = 6,  /* lines of text: address and name of each function that a work queue ran; before the end */
    BLOCK_IDLE_STATES = 7, /* lines of text: CPU, number, exit latency in us and name of each idle state */
};

struct block_head {
    uint32_t kind;
    uint32_t bytes;
    uint32_t crc; /* over the two fields before it and the bytes that follow */
};

struct kernel_events_file {
    int fd;
    uint64_t bytes;
    uint32_t late;
    struct work_names works;
};

/* All return 0 or an errno. `events` are those of all CPUs. */
int kernel_events_file_create(struct kernel_events_file *file, const char *path, const struct tracepoints *tracepoints,
                              struct kernel_events *const *events, unsigned cpus);
int kernel_events_file_add(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus);
int kernel_events_file_end(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus);

#endif
