/* SPDX-License-Identifier: BSD-3-Clause */
#include "fragment.h"

#include <glib.h>
#include <string.h>

struct fragment_table {
    GHashTable *fragments;
    uint32_t numbered;
};

#define HASH_START 5381U
#define HASH_FACTOR 33U

static guint hash_of(gconstpointer key)
{
    const struct fragment *fragment = key;
    guint hash = HASH_START;

    for (uint32_t i = 0; i < fragment->code_bytes; i++) {
        hash = hash * HASH_FACTOR + fragment->code[i];
    }
    return (hash ^ (guint)fragment->address) * HASH_FACTOR + fragment->level;
}

static gboolean is_same(gconstpointer left, gconstpointer right)
{
    const struct fragment *a = left, *b = right;

    return a->address == b->address && a->level == b->level && a->instructions == b->instructions && a->code_bytes == b->code_bytes &&
           a->is_aarch32 == b->is_aarch32 && a->context == b->context &&
           memcmp(a->code, b->code, a->code_bytes) == 0;
}

struct fragment_table *fragment_table_new(void)
{
    struct fragment_table *table = g_new0(struct fragment_table, 1);

    table->fragments = g_hash_table_new_full(hash_of, is_same, g_free, NULL);
    return table;
}

struct fragment *fragment_of(struct fragment_table *table, struct fragment wanted, bool *is_new)
{
    struct fragment *known = g_hash_table_lookup(table->fragments, &wanted);
    struct fragment *made;
    uint8_t *code;

    *is_new = known == NULL;
    if (known != NULL) {
        return known;
    }
    made = g_malloc(sizeof(*made) + wanted.code_bytes);
    code = (uint8_t *)(made + 1);
    memcpy(code, wanted.code, wanted.code_bytes);
    *made = wanted;
    made->number = FRAGMENT_UNNUMBERED;
    made->code = code;
    g_hash_table_add(table->fragments, made);
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
    g_hash_table_destroy(table->fragments);
    g_free(table);
}
