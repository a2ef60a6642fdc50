/* SPDX-License-Identifier: BSD-3-Clause */
#include "known.h"

#include <stddef.h>
#include <string.h>

#include "records.h"

#define CONTEXT_SHIFT 16

static struct fragment_table *fragments;

void known_start(void)
{
    if (fragments != NULL) {
        fragment_table_free(fragments);
    }
    fragments = fragment_table_new();
}

static void put_fragment(const struct fragment *fragment)
{
    struct {
        uint64_t address;
        uint32_t number, instructions, world, code_bytes;
        uint8_t code[FRAGMENT_CODE_MAX];
    } body;

    body.address = fragment->address;
    body.number = fragment->number;
    body.instructions = fragment->instructions;
    body.world = fragment->level | fragment->context << CONTEXT_SHIFT;
    body.code_bytes = fragment->code_bytes;
    memcpy(body.code, fragment->code, fragment->code_bytes);
    records_put_locked(RECORD_FRAGMENT, 0, &body, sizeof(body) - sizeof(body.code) + fragment->code_bytes);
}

/* The lock is held. */
static void give_number_locked(struct fragment *fragment)
{
    if (fragment->number == FRAGMENT_UNNUMBERED) {
        fragment_give_number(fragments, fragment);
        put_fragment(fragment);
    }
}

struct fragment *known_fragment(struct fragment wanted, bool is_measured)
{
    struct fragment *fragment;
    bool is_new;

    records_lock();
    fragment = fragment_of(fragments, wanted, &is_new);
    if (is_measured) {
        give_number_locked(fragment);
    }
    records_unlock();
    return fragment;
}

static struct fragment *find_in(struct fragment *fragment, uint32_t context)
{
    while (fragment != NULL && fragment->context != context) {
        fragment = __atomic_load_n(&fragment->elsewhere, __ATOMIC_ACQUIRE);
    }
    return fragment;
}

const struct fragment *known_in(struct fragment *fragment, uint32_t context)
{
    struct fragment *found = find_in(fragment, context), wanted;

    if (found != NULL) {
        return found;
    }
    wanted = *fragment;
    wanted.context = context;
    found = known_fragment(wanted, true);
    records_lock();
    if (find_in(fragment, context) == NULL) {
        found->elsewhere = fragment->elsewhere;
        __atomic_store_n(&fragment->elsewhere, found, __ATOMIC_RELEASE);
    }
    records_unlock();
    return found;
}

uint32_t known_number_of(struct fragment stretch)
{
    return known_fragment(stretch, true)->number;
}

void known_give_number(struct fragment *fragment)
{
    records_lock();
    give_number_locked(fragment);
    records_unlock();
}

void known_tell_again(struct fragment *fragment)
{
    fragment->number = FRAGMENT_UNNUMBERED;
    give_number_locked(fragment);
}
