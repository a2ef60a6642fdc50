/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the boot fills before a partition runs: words from `load` up to `bss`, zeroes from there to `end`. Made from
 * the manifests.
 */
#ifndef MEMORY_SECTIONS_H
#define MEMORY_SECTIONS_H

#include <stdint.h>

struct memory_section {
    const uint32_t *load;
    uint32_t *start;
    uint32_t *bss;
    uint32_t *end;
};

extern const struct memory_section partition_memory[];
extern const uint32_t partition_memory_count;

#endif
