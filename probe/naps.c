/* SPDX-License-Identifier: BSD-3-Clause */
#include "naps.h"

#include <stdlib.h>

#include "contexts.h"

struct room {
    const struct profile *naps;
    bool is_there;
};

static void look_for_room(void *room, uint32_t fragment, uint32_t times)
{
    struct room *of = room;

    (void)times;
    of->is_there = of->is_there && profile_has_room(of->naps, fragment);
}

static void add_runs(void *naps, uint32_t fragment, uint32_t times)
{
    profile_add(naps, fragment, times);
}

void naps_note(struct core *core, uint64_t instructions)
{
    struct room room;

    contexts_settle(core);
    if (path_finish(core->path) == 0 && core->profile->record.unlisted_instructions == 0) {
        return;
    }
    if (core->naps == NULL) {
        core->naps = calloc(1, sizeof(*core->naps));
        if (core->naps == NULL) {
            abort();
        }
    }
    room = (struct room) { core->naps, core->profile->record.unlisted_instructions == 0 };
    path_each(core->path, look_for_room, &room);
    /* How long a fragment is the path does not say, so that the whole nap finds no room, or none of it. */
    if (!room.is_there) {
        core->naps->record.unlisted_instructions += instructions;
        return;
    }
    path_each(core->path, add_runs, core->naps);
}
