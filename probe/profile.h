/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each fragment of code ran since the last time that this was asked, for one core. */
#ifndef PROBE_PROFILE_H
#define PROBE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_FRAGMENTS 65536U /* fragments with a number of this or more are counted together */
#define PROFILE_TIMES (UINT32_MAX / 2)
#define PROFILE_LISTED 8160U /* as many fit into one record */

struct profile_entry {
    uint32_t fragment;
    uint32_t times;
};

/* As it goes into the stream. */
struct profile_record {
    uint64_t unlisted_instructions; /* of fragments that found no room */
    struct profile_entry entries[PROFILE_LISTED];
};

struct profile {
    uint32_t times[PROFILE_FRAGMENTS];
    uint32_t order[PROFILE_FRAGMENTS]; /* fragments in the order of their first run */
    uint32_t listed, put; /* so many of them, and so many that were in a record already */
    bool has_record;
    struct profile_record record;
};

/* Notes one run of a fragment of `instructions` instructions. */
void profile_note(struct profile *profile, uint32_t fragment, uint32_t instructions);

/* Whether profile_add() may be called for the fragment. */
bool profile_has_room(const struct profile *profile, uint32_t fragment);

/* Notes `times` runs, hardly as many as PROFILE_TIMES, of a fragment that has room. */
void profile_add(struct profile *profile, uint32_t fragment, uint32_t times);

/* Fills `profile->record` with the next counts, in the order of the first run. Returns how many bytes of it are used, 0 where none are
 * left. What found no room at all is in the first record. */
size_t profile_next_record(struct profile *profile);

/* Forgets all counts. */
void profile_forget(struct profile *profile);

#endif
