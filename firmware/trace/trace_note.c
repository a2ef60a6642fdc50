/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of the event table, for tools that read the ELF file: section .note.latlab, owner "latlab", type 1. */
#include <stdint.h>

#include "trace_events.h"

struct trace_note {
    uint32_t name_bytes;
    uint32_t description_bytes;
    uint32_t type;
    char name[8];
    uint32_t hash[2];
};

__attribute__((section(".note.latlab"), used, aligned(4))) const struct trace_note trace_note = {
    .name_bytes = sizeof("latlab"),
    .description_bytes = sizeof(uint64_t),
    .type = 1,
    .name = "latlab",
    .hash = { (uint32_t)TRACE_EVENTS_HASH, (uint32_t)(TRACE_EVENTS_HASH >> 32) },
};
