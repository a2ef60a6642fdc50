/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler.h"

/*
 * The dump of the bench. Its lines are kept until dump_flush() or until 512 KiB are full, because a console that makes the program wait
 * would make each run a little different.
 */
void dump_boot(uint32_t iterations, uint32_t capture_mticks);

/* One iteration of a test: all its records. */
void dump_iteration(const char *world, const char *test, uint32_t iteration, const struct trace_record *records, uint32_t count,
                    uint32_t first, uint32_t lost);
void dump_end(uint32_t tests, uint32_t iterations, bool pass);
void dump_flush(void);

#endif
