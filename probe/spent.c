/* SPDX-License-Identifier: BSD-3-Clause */
#include "spent.h"

void spent_note(struct spent *spent, uint32_t fragment, uint64_t ticks)
{
    if (fragment >= SPENT_FRAGMENTS) {
        spent->unlisted_ticks += ticks;
        return;
    }
    if (!spent->is_listed[fragment]) {
        spent->is_listed[fragment] = 1;
        spent->order[spent->listed++] = fragment;
    }
    spent->ticks[fragment] += ticks;
}

size_t spent_next_record(struct spent *spent)
{
    struct spent_record *record = &spent->record;
    uint32_t count = spent->listed - spent->put;

    if (count == 0 && spent->unlisted_ticks == 0) {
        return 0;
    }
    if (count > SPENT_LISTED) {
        count = SPENT_LISTED;
    }
    record->unlisted_ticks = spent->unlisted_ticks;
    spent->unlisted_ticks = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t fragment = spent->order[spent->put + i];

        record->entries[i] = (struct spent_entry) { .fragment = fragment, .ticks = spent->ticks[fragment] };
    }
    spent->put += count;
    return offsetof(struct spent_record, entries) + count * sizeof(record->entries[0]);
}

void spent_forget(struct spent *spent)
{
    for (uint32_t i = 0; i < spent->listed; i++) {
        spent->ticks[spent->order[i]] = 0;
        spent->is_listed[spent->order[i]] = 0;
    }
    spent->listed = 0;
    spent->put = 0;
    spent->unlisted_ticks = 0;
}
