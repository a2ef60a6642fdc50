/* SPDX-License-Identifier: BSD-3-Clause */
/* The records that a test wrote into memory. */
#ifndef PROBE_TRACES_TESTS_READ_RECORDS_H
#define PROBE_TRACES_TESTS_READ_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "stream.h"

#define HEADER_BYTES 24

struct record {
    uint16_t kind, bytes;
    uint32_t core;
    uint64_t body[];
};

struct crossing {
    uint64_t instructions, machine, address;
    uint8_t from, to;
    uint16_t count;
    uint32_t unknown;
    uint64_t registers[10];
};

/* The test's stream. */
static char *bytes;
static size_t size;

/* The record of this kind, the first is 0; NULL behind the last. */
static inline const struct record *record_of(enum record_kind kind, int number)
{
    for (size_t at = HEADER_BYTES; at < size;) {
        const struct record *record = (const struct record *)(bytes + at);

        if (record->kind == kind && number-- == 0) {
            return record;
        }
        at += record->bytes;
    }
    return NULL;
}

#endif
