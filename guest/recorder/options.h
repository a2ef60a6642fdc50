/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "record_file.h"

struct options {
    const char *output;
    const char *memory;        /* NULL if the file is kept nowhere else */
    const char *kernel_events; /* NULL if what the kernel does is not kept */
    const char *outside_counts; /* NULL if what takes a CPU from its kernel is not counted */
    uint64_t interval_ns;
    uint64_t outlier_ns;
    uint64_t duration_ns;
    int priority;
    bool idle_states_allowed;
    uint32_t cpus;
    uint32_t cpu_numbers[RECORD_MAX_CPUS];
};

/* False, with a sentence on stderr, where they cannot be used. Without -a, every CPU that this process may run on is taken. */
bool options_read(struct options *options, int argc, char **argv);

#endif
