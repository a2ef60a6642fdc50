/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile.h"

#include <stddef.h>

bool profile_has_room(const struct profile *profile, uint32_t fragment)
{
    return fragment < PROFILE_FRAGMENTS && profile->times[fragment] < PROFILE_TIMES;
}

void profile_add(struct profile *profile, uint32_t fragment, uint32_t times)
{
    if (profile->times[fragment] == 0) {
        profile->order[profile->listed++] = fragment;
    }
    profile->times[fragment] += times;
}

void profile_note(struct profile *profile, uint32_t fragment, uint32_t instructions)
{
    if (fragment >= PROFILE_FRAGMENTS) {
        profile->record.unlisted_instructions += instructions;
        return;
    }
    if (profile->times[fragment] == UINT32_MAX) {
        profile->record.unlisted_instructions += instructions;
        return;
    }
    profile_add(profile, fragment, 1);
}

size_t profile_next_record(struct profile *profile)
{
    struct profile_record *record = &profile->record;
    uint32_t count = profile->listed - profile->put;

    if (profile->has_record) {
        record->unlisted_instructions = 0;
    }
    profile->has_record = true;
    if (count == 0 && record->unlisted_instructions == 0) {
        return 0;
    }
    if (count > PROFILE_LISTED) {
        count = PROFILE_LISTED;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t fragment = profile->order[profile->put + i];

        record->entries[i] = (struct profile_entry) { .fragment = fragment, .times = profile->times[fragment] };
    }
    profile->put += count;
    return offsetof(struct profile_record, entries) + count * sizeof(record->entries[0]);
}

void profile_forget(struct profile *profile)
{
    for (size_t i = 0; i < profile->listed; i++) {
        profile->times[profile->order[i]] = 0;
    }
    profile->listed = 0;
    profile->put = 0;
    profile->has_record = false;
    profile->record.unlisted_instructions = 0;
}
