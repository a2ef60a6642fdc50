/* SPDX-License-Identifier: BSD-3-Clause */
#include "masked.h"

#include <glib.h>
#include <string.h>

struct masked_table {
    GHashTable *by_key;
    GPtrArray *entries;
};

#define HASH_START 5381U
#define HASH_FACTOR 33U

static guint hash_of(gconstpointer key)
{
    const uint8_t *bytes = key;
    guint hash = HASH_START;

    for (size_t i = 0; i < sizeof(struct masked_key); i++) {
        hash = hash * HASH_FACTOR + bytes[i];
    }
    return hash;
}

static gboolean is_same(gconstpointer left, gconstpointer right)
{
    return memcmp(left, right, sizeof(struct masked_key)) == 0;
}

struct masked_table *masked_table_new(void)
{
    struct masked_table *table = g_new0(struct masked_table, 1);

    table->by_key = g_hash_table_new(hash_of, is_same);
    table->entries = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void masked_table_free(struct masked_table *table)
{
    g_hash_table_destroy(table->by_key);
    g_ptr_array_free(table->entries, TRUE);
    g_free(table);
}

static struct masked_entry *entry_of(struct masked_table *table, const struct masked_key *key)
{
    struct masked_entry *entry = g_hash_table_lookup(table->by_key, key);

    if (entry == NULL) {
        entry = g_new0(struct masked_entry, 1);
        entry->key = *key;
        g_hash_table_insert(table->by_key, &entry->key, entry);
        g_ptr_array_add(table->entries, entry);
    }
    return entry;
}

static void end_stretch(const struct masked *masked, struct masked_table *table, const struct masked_stretch *stretch,
                        void (*read_trail)(uint64_t trail[MASKED_TRAIL]))
{
    struct masked_entry *entry = entry_of(table, &stretch->key);

    entry->count++;
    entry->instructions += stretch->instructions;
    for (uint32_t i = 0; i < MASKED_WORLDS; i++) {
        entry->worlds[i] += stretch->worlds[i];
    }
    if (entry->count == 1 || stretch->instructions > entry->longest) {
        entry->longest = stretch->instructions;
        entry->core = masked->core;
        memcpy(entry->longest_worlds, stretch->worlds, sizeof(entry->longest_worlds));
        if (read_trail != NULL) {
            read_trail(entry->trail);
        }
    }
}

/* What ran since the last look belongs to the world of the last look. Fewer instructions than then take back what was added. */
static void add_instructions(struct masked *masked, uint64_t instructions)
{
    uint64_t ran = instructions - masked->since;

    masked->since = instructions;
    for (uint32_t line = 0; line < MASK_LINES; line++) {
        if (masked->masks.lines[line] != MASK_OPEN) {
            masked->stretches[line].instructions += ran;
            masked->stretches[line].worlds[masked->world % MASKED_WORLDS] += ran;
        }
    }
}

static void begin_stretch(struct masked *masked, uint32_t line, const struct masked_look *look)
{
    struct masked_stretch *stretch = &masked->stretches[line];

    memset(stretch, 0, sizeof(*stretch));
    stretch->key.begin = look->address;
    stretch->key.link = look->link;
    stretch->key.line = (uint8_t)line;
    stretch->key.mask = (uint8_t)look->masks.lines[line];
    stretch->key.begin_world = (uint8_t)look->world;
    stretch->key.edges = masked->has_begun ? 0 : MASKED_FROM_START;
}

bool masked_look_at(struct masked *masked, struct masked_table *table, const struct masked_look *look)
{
    bool is_other = false, is_elsewhere = masked->world != look->world;

    add_instructions(masked, look->instructions);
    for (uint32_t line = 0; line < MASK_LINES; line++) {
        struct masked_stretch *stretch = &masked->stretches[line];

        if (masked->masks.lines[line] == look->masks.lines[line]) {
            continue;
        }
        is_other = true;
        if (masked->masks.lines[line] != MASK_OPEN) {
            stretch->key.end = look->address;
            stretch->key.end_world = (uint8_t)look->world;
            end_stretch(masked, table, stretch, look->read_trail);
        }
        if (look->masks.lines[line] != MASK_OPEN) {
            begin_stretch(masked, line, look);
        }
    }
    if (is_other || is_elsewhere) {
        masked->changed_at = look->instructions;
    }
    masked->masks = look->masks;
    masked->world = look->world;
    masked->has_begun = true;
    return is_other;
}

void masked_finish(struct masked *masked, struct masked_table *table, uint64_t instructions)
{
    add_instructions(masked, instructions);
    for (uint32_t line = 0; line < MASK_LINES; line++) {
        if (masked->masks.lines[line] != MASK_OPEN) {
            masked->stretches[line].key.edges |= MASKED_TO_END;
            masked->stretches[line].key.end_world = (uint8_t)masked->world;
            end_stretch(masked, table, &masked->stretches[line], NULL);
        }
        masked->masks.lines[line] = MASK_OPEN;
    }
}

void masked_each(const struct masked_table *table, void (*called)(const struct masked_entry *entry))
{
    for (guint i = 0; i < table->entries->len; i++) {
        called(g_ptr_array_index(table->entries, i));
    }
}
