/* SPDX-License-Identifier: BSD-3-Clause */
/* How much time each fragment of code took since the last time that this was asked, for one core whose source has a clock. */
#ifndef PROBE_SPENT_H
#define PROBE_SPENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPENT_FRAGMENTS 65536U /* fragments with a number of this or more are summed together */
#define SPENT_LISTED 4080U /* as many fit into one record */

struct spent_entry {
    uint32_t fragment;
    uint32_t zero;
    uint64_t ticks;
};

/* As it goes into the stream. */
struct spent_record {
    uint64_t unlisted_ticks; /* of fragments that found no room */
    struct spent_entry entries[SPENT_LISTED];
};

struct spent {
    uint64_t ticks[SPENT_FRAGMENTS];
    uint32_t order[SPENT_FRAGMENTS]; /* fragments in the order of their first time */
    uint8_t is_listed[SPENT_FRAGMENTS];
    uint32_t listed, put;
    uint64_t unlisted_ticks;
    struct spent_record record;
};

/* Adds what one run of a fragment took. */
void spent_note(struct spent *spent, uint32_t fragment, uint64_t ticks);

/* Fills `spent->record` with the next sums. Returns how many bytes of it are used, 0 where none are left. */
size_t spent_next_record(struct spent *spent);

void spent_forget(struct spent *spent);

#endif
