/* SPDX-License-Identifier: BSD-3-Clause */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_ENTRIES (1ULL << 16)

static uint64_t *table; /* open addressing; 0: free */
static uint64_t entries;
static uint64_t count;

/* False where it is there already. */
static bool insert(uint64_t hash)
{
    uint64_t mask = entries - 1U;
    uint64_t at = hash & mask;

    while (table[at] != 0) {
        if (table[at] == hash) {
            return false;
        }
        at = (at + 1U) & mask;
    }
    table[at] = hash;
    return true;
}

static void grow_table(void)
{
    uint64_t *old = table;
    uint64_t old_entries = entries;

    entries = old == NULL ? FIRST_ENTRIES : 2U * old_entries;
    table = calloc(entries, sizeof(*table));
    if (table == NULL) {
        fprintf(stderr, "no memory for a table of %llu states\n", (unsigned long long)entries);
        exit(2);
    }
    for (uint64_t i = 0; old != NULL && i < old_entries; i++) {
        if (old[i] != 0) {
            insert(old[i]);
        }
    }
    free(old);
}

bool seen_add(uint64_t hash)
{
    if (4U * count >= 3U * entries) {
        grow_table();
    }
    bool fresh = insert(hash | (hash == 0));

    count += fresh;
    return fresh;
}
