/* SPDX-License-Identifier: BSD-3-Clause */
#include "path.h"

#include <string.h>

#define HASH_FACTOR 0x9e3779b1U
#define HASH_SHIFT 15
#define ROOM_OF_STEP 3U /* the step that is closed now, the one that begins, and the head of a loop that one of them makes */

static uint32_t mixed(uint32_t value, uint32_t more)
{
    value = (value ^ more) * HASH_FACTOR;
    return value ^ value >> HASH_SHIFT;
}

static uint32_t *hash_of(struct path *path, uint32_t item)
{
    return &path->hashes[PATH_PERIOD_MAX + item];
}

static uint32_t *tail_of(struct path *path, uint32_t item)
{
    return &path->tails[PATH_PERIOD_MAX + item];
}

static uint32_t hash_of_last(struct path *path, uint32_t items)
{
    uint32_t hash = 0;

    for (uint32_t i = path->item_count - items; i < path->item_count; i++) {
        hash = mixed(hash, *hash_of(path, i));
    }
    return hash;
}

static void repeat_loop(struct path *path, uint32_t item)
{
    struct path_step *head = &path->steps[path->items[item].start];

    head->times++;
    *hash_of(path, item) = mixed(path->items[item].body_hash, head->times);
}

/* The last `period` items are one more run of the loop before them. */
static bool goes_on(struct path *path, uint32_t period)
{
    uint32_t first = path->item_count - period, start = path->items[first].start, steps = path->step_count - start;
    const struct path_item *loop = &path->items[first - 1];
    const struct path_step *head = &path->steps[loop->start];

    if (loop->period != period || head->what != (PATH_LOOP | steps) || head->times == UINT32_MAX ||
        memcmp(head + 1, &path->steps[start], steps * sizeof(*head)) != 0) {
        return false;
    }
    path->item_count = first;
    path->step_count = start;
    repeat_loop(path, first - 1);
    return true;
}

/* The last `period` items are the same as those before them. */
static bool begins(struct path *path, uint32_t period)
{
    uint32_t again = path->item_count - period, first = again - period;
    uint32_t start = path->items[first].start, middle = path->items[again].start, steps = middle - start;
    uint32_t hash = hash_of_last(path, period);

    if (path->step_count - middle != steps || memcmp(&path->steps[start], &path->steps[middle], steps * sizeof(path->steps[0])) != 0) {
        return false;
    }
    memmove(&path->steps[start + 1], &path->steps[start], steps * sizeof(path->steps[0]));
    path->steps[start] = (struct path_step) { .what = PATH_LOOP | steps, .times = 1 };
    path->step_count = middle + 1;
    path->item_count = first + 1;
    path->items[first] = (struct path_item) { .start = start, .period = period, .body_hash = hash };
    *tail_of(path, first) = *hash_of(path, again + period - 1);
    repeat_loop(path, first);
    return true;
}

/* Whether a repetition may end with the last item; hardly ever, so that this is what folding costs. */
static bool may_repeat(const struct path *path)
{
    const uint32_t *hashes = &path->hashes[path->item_count - 1], *tails = &path->tails[path->item_count - 1];
    uint32_t last = hashes[PATH_PERIOD_MAX], found = 0;

    for (uint32_t i = 0; i < PATH_PERIOD_MAX; i++) {
        found |= (uint32_t)(hashes[i] == last) | (uint32_t)(tails[i] == last);
    }
    return found != 0;
}

/* The shortest repetition at the end is folded. One is enough: an outer loop shows when the step behind the inner one is closed. */
static void fold(struct path *path)
{
    uint32_t last = *hash_of(path, path->item_count - 1);

    for (uint32_t period = 1; period <= PATH_PERIOD_MAX && period < path->item_count; period++) {
        uint32_t before = path->item_count - period - 1;

        if (*tail_of(path, before) == last && goes_on(path, period)) {
            return;
        }
        if (*hash_of(path, before) == last && 2 * period <= path->item_count && begins(path, period)) {
            return;
        }
    }
}

static void close_step(struct path *path)
{
    uint32_t item = path->item_count;

    if (path->times == 0) {
        return;
    }
    path->items[item] = (struct path_item) { .start = path->step_count };
    *hash_of(path, item) = mixed(mixed(0, path->last), path->times);
    *tail_of(path, item) = 0;
    path->steps[path->step_count++] = (struct path_step) { .what = path->last, .times = path->times };
    path->item_count++;
    path->times = 0;
    if (may_repeat(path)) {
        fold(path);
    }
}

bool path_go_on(struct path *path, uint32_t fragment)
{
    path->is_full = path->is_full || path->step_count + ROOM_OF_STEP > PATH_STEPS || fragment >= PATH_LOOP;
    close_step(path);
    if (path->is_full) {
        return false;
    }
    path->last = fragment;
    path->times = 1;
    return true;
}

uint32_t path_finish(struct path *path)
{
    close_step(path);
    return path->step_count;
}

/* Of `count` steps that ran `times` times, each with the loops in it. */
static void each_of(const struct path_step *steps, uint32_t count, uint32_t times,
                    void (*called)(void *to, uint32_t fragment, uint32_t times), void *to)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t body = steps[i].what & ~PATH_LOOP;

        if ((steps[i].what & PATH_LOOP) == 0) {
            called(to, steps[i].what, times * steps[i].times);
            continue;
        }
        each_of(&steps[i + 1], body, times * steps[i].times, called, to);
        i += body;
    }
}

void path_each(const struct path *path, void (*called)(void *to, uint32_t fragment, uint32_t times), void *to)
{
    each_of(path->steps, path->step_count, 1, called, to);
}

void path_forget(struct path *path)
{
    path->times = 0;
    path->step_count = 0;
    path->item_count = 0;
    path->is_full = false;
}
