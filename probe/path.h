/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which fragments ran since the last time that this was asked, for one core, with repetitions folded. */
#ifndef PROBE_PATH_H
#define PROBE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_STEPS 32768U /* what runs after so many goes into the profile */
#define PATH_PERIOD_MAX 16U /* a loop is found where its body has no more items than this */
#define PATH_LOOP 0x80000000U
#define PATH_RECORD_STEPS 8160U /* as many fit into one record */

/* As it goes into the stream. `what` is a fragment, or PATH_LOOP and the number of steps behind this one that make the loop's body,
 * those of loops in it included. */
struct path_step {
    uint32_t what;
    uint32_t times;
};

/* One fragment, or one whole loop: what is compared when a repetition is looked for. */
struct path_item {
    uint32_t start; /* its first step */
    uint32_t period; /* items of the loop's body, 0 for a fragment */
    uint32_t body_hash;
};

struct path {
    uint32_t last, times; /* what runs now, not among the steps yet */
    uint32_t step_count, item_count;
    bool is_full;
    struct path_step steps[PATH_STEPS];
    struct path_item items[PATH_STEPS];
    /* Of each item, PATH_PERIOD_MAX places further on: its hash, and that of the last item in a loop's body, 0 for a fragment. */
    uint32_t hashes[PATH_PERIOD_MAX + PATH_STEPS];
    uint32_t tails[PATH_PERIOD_MAX + PATH_STEPS];
};

/* path_note() for another fragment than the last. */
bool path_go_on(struct path *path, uint32_t fragment);

/* Notes one run of a fragment. False where there is no room for it, nor for any later one until the path is forgotten. */
static inline bool path_note(struct path *path, uint32_t fragment)
{
    if (path->last == fragment && path->times != 0 && path->times != UINT32_MAX) {
        path->times++;
        return true;
    }
    return path_go_on(path, fragment);
}

/* Ends the path: all that was noted is in `steps` then. Returns how many these are. */
uint32_t path_finish(struct path *path);

/* Calls for each fragment of a path that is ended, with how often it ran; more than once for one that is at several places. `times` must
 * not overflow: for short paths. */
void path_each(const struct path *path, void (*called)(void *to, uint32_t fragment, uint32_t times), void *to);

void path_forget(struct path *path);

#endif
