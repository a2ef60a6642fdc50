/* SPDX-License-Identifier: BSD-3-Clause */
/* The framed lines of docs/reference/trace-format.md. */
#ifndef PSCI_BENCH_DUMP_H
#define PSCI_BENCH_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"

void dump_boot(uint64_t iterations);
void dump_test(const char *test, uint64_t iteration);
/* RING and DATA of a core. Returns false where a record was lost. */
bool dump_ring(const char *test, uint64_t iteration, uint32_t core_index, const struct measurement *measurement);
void dump_done(const char *test, uint64_t iteration);
void dump_end(uint64_t tests, uint64_t iterations, bool pass);

#endif
