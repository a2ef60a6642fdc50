/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches in which a core does not take interrupts, summed by where they began and ended. */
#ifndef PROBE_MASKED_H
#define PROBE_MASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "masks.h"

#define MASKED_WORLDS 16U
#define MASKED_TRAIL 4U
#define MASKED_FROM_START 1U /* it began with the core's first instruction */
#define MASKED_TO_END 2U /* it had not ended when the machine did */

/* What makes two stretches one entry. All bytes count: make it from zeros. */
struct masked_key {
    uint64_t begin, link, end; /* addresses; `link` is the link register where it began */
    uint8_t line, mask, begin_world, end_world;
    uint32_t edges;
};

struct masked_entry {
    struct masked_key key;
    uint32_t core; /* of the longest */
    uint64_t count, instructions, longest;
    uint64_t worlds[MASKED_WORLDS]; /* of `instructions`, those of each world */
    uint64_t longest_worlds[MASKED_WORLDS];
    uint64_t trail[MASKED_TRAIL]; /* where the longest ended: the link register and return addresses further out, 0 where not told */
};

/* The stretch of one line that is under way. */
struct masked_stretch {
    struct masked_key key;
    uint64_t instructions;
    uint64_t worlds[MASKED_WORLDS];
};

/* Of one core. From zeros; no line is under way until the first look. */
struct masked {
    bool has_begun;
    uint32_t core, world;
    uint64_t since; /* its count at the last look */
    uint64_t changed_at; /* its count where its masks or its world changed last */
    struct masks masks;
    struct masked_stretch stretches[MASK_LINES];
};

/* What a core is at: instructions that it executed, the world that it goes on in, where what was done to the masks was done. */
struct masked_look {
    struct masks masks;
    uint32_t world;
    uint64_t instructions, address, link;
    void (*read_trail)(uint64_t trail[MASKED_TRAIL]); /* called where a stretch ended that is the longest so far; NULL: nothing tells it */
};

struct masked_table;

struct masked_table *masked_table_new(void);
void masked_table_free(struct masked_table *table);

/* What the core is in from here on. True where a stretch began or ended. */
bool masked_look_at(struct masked *masked, struct masked_table *table, const struct masked_look *look);

/* Ends what is under way, as cut off where the core had executed so many: not fewer than at its last change. */
void masked_finish(struct masked *masked, struct masked_table *table, uint64_t instructions);

/* Calls for each entry, in the order in which they were made. */
void masked_each(const struct masked_table *table, void (*called)(const struct masked_entry *entry));

#endif
