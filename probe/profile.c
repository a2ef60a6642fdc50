/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile.h"

#include <stddef.h>

void profile_note(struct profile *profile, uint32_t fragment, uint32_t instructions)
{
    if (fragment >= PROFILE_FRAGMENTS) {
        profile->record.unlisted_instructions += instructions;
        return;
    }
    if (profile->times[fragment] == 0) {
        if (profile->listed == PROFILE_LISTED) {
            profile->record.unlisted_instructions += instructions;
            return;
        }
        profile->order[profile->listed++] = fragment;
    }
    if (profile->times[fragment] == UINT32_MAX) {
        profile->record.unlisted_instructions += instructions;
        return;
    }
    profile->times[fragment]++;
}

size_t profile_fill_record(struct profile *profile)
{
    struct profile_record *record = &profile->record;

    if (profile->listed == 0 && record->unlisted_instructions == 0) {
        return 0;
    }
    for (size_t i = 0; i < profile->listed; i++) {
        uint32_t fragment = profile->order[i];

        record->entries[i] = (struct profile_entry) { .fragment = fragment, .times = profile->times[fragment] };
    }
    return offsetof(struct profile_record, entries) + profile->listed * sizeof(record->entries[0]);
}

void profile_forget(struct profile *profile)
{
    for (size_t i = 0; i < profile->listed; i++) {
        profile->times[profile->order[i]] = 0;
    }
    profile->listed = 0;
    profile->record.unlisted_instructions = 0;
}
