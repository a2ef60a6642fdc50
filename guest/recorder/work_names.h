/* SPDX-License-Identifier: BSD-3-Clause */
/* What work queues ran until late wake-ups: their threads have no names of their own, and the kernel's records have addresses only. */
#ifndef WORK_NAMES_H
#define WORK_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include "tracepoints.h"

#define WORK_NAMES_MOST 256U /* functions; more stay without a name */

struct work_names {
    uint32_t id; /* of workqueue_execute_start; 0 where the kernel has none */
    uint32_t function_at;
    unsigned count;
    uint64_t functions[WORK_NAMES_MOST];
};

void work_names_open(struct work_names *self, const struct tracepoints *tracepoints);

/* `records` are whole, as they lay in the kernel's ring. */
void work_names_note(struct work_names *self, const char *records, uint32_t bytes);

/* A line for each of those functions that `symbols` names, which is /proc/kallsyms: its address and its name. */
void work_names_write(const struct work_names *self, FILE *symbols, FILE *out);

#endif
