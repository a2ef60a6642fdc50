/* SPDX-License-Identifier: BSD-3-Clause */
#include "fragment.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 1024U
#define HASH_START 5381U
#define HASH_FACTOR 33U

struct slot {
    struct fragment *fragment; /* NULL: free */
    uint32_t hash;
};

struct fragment_table {
    struct slot *slots;
    uint32_t slot_count; /* a power of two */
    uint32_t count, numbered;
};

static void *allocated(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static uint32_t hash_of(const struct fragment *fragment)
{
    uint32_t hash = HASH_START;

    for (uint32_t i = 0; i < fragment->code_bytes; i++) {
        hash = hash * HASH_FACTOR + fragment->code[i];
    }
    hash = (hash ^ (uint32_t)fragment->address) * HASH_FACTOR + fragment->level;
    return hash ^ hash >> 16;
}

static bool is_same(const struct fragment *a, const struct fragment *b)
{
    return a->address == b->address && a->level == b->level && a->instructions == b->instructions && a->code_bytes == b->code_bytes &&
           a->is_aarch32 == b->is_aarch32 && a->context == b->context &&
           memcmp(a->code, b->code, a->code_bytes) == 0;
}

struct fragment_table *fragment_table_new(void)
{
    struct fragment_table *table = allocated(calloc(1, sizeof(*table)));

    table->slot_count = SLOTS_AT_FIRST;
    table->slots = allocated(calloc(table->slot_count, sizeof(*table->slots)));
    return table;
}

/* Where the fragment is, or the free slot where it belongs. */
static struct slot *slot_of(const struct fragment_table *table, const struct fragment *fragment, uint32_t hash)
{
    uint32_t at = hash & (table->slot_count - 1);

    while (table->slots[at].fragment != NULL && (table->slots[at].hash != hash || !is_same(table->slots[at].fragment, fragment))) {
        at = (at + 1) & (table->slot_count - 1);
    }
    return &table->slots[at];
}

static void grow(struct fragment_table *table)
{
    struct slot *old = table->slots;
    uint32_t old_count = table->slot_count;

    table->slot_count *= 2;
    table->slots = allocated(calloc(table->slot_count, sizeof(*table->slots)));
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i].fragment != NULL) {
            *slot_of(table, old[i].fragment, old[i].hash) = old[i];
        }
    }
    free(old);
}

struct fragment *fragment_of(struct fragment_table *table, struct fragment wanted, bool *is_new)
{
    uint32_t hash = hash_of(&wanted);
    struct slot *slot = slot_of(table, &wanted, hash);
    struct fragment *made;
    uint8_t *code;

    *is_new = slot->fragment == NULL;
    if (slot->fragment != NULL) {
        return slot->fragment;
    }
    made = allocated(malloc(sizeof(*made) + wanted.code_bytes));
    code = (uint8_t *)(made + 1);
    memcpy(code, wanted.code, wanted.code_bytes);
    *made = wanted;
    made->number = FRAGMENT_UNNUMBERED;
    made->code = code;
    *slot = (struct slot) { .fragment = made, .hash = hash };
    if (++table->count > table->slot_count / 2) {
        grow(table);
    }
    return made;
}

void fragment_give_number(struct fragment_table *table, struct fragment *fragment)
{
    if (fragment->number == FRAGMENT_UNNUMBERED) {
        fragment->number = table->numbered++;
    }
}

void fragment_table_free(struct fragment_table *table)
{
    for (uint32_t i = 0; i < table->slot_count; i++) {
        free(table->slots[i].fragment);
    }
    free(table->slots);
    free(table);
}
