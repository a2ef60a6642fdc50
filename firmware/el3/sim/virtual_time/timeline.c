/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline.h"

#include <stdbool.h>

#include "host.h"

struct place {
    uint64_t time_ns;
    unsigned core;
};

static struct place heap[HOST_MAX_CORES + 1U]; /* from 1; a core stands in it at most once */
static unsigned count;

static bool is_before(const struct place *a, const struct place *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->core < b->core;
}

void timeline_clear(void)
{
    count = 0;
}

void timeline_add(unsigned core, uint64_t time_ns)
{
    struct place added = { .time_ns = time_ns, .core = core };
    unsigned at = ++count;

    while (at > 1 && is_before(&added, &heap[at / 2])) {
        heap[at] = heap[at / 2];
        at /= 2;
    }
    heap[at] = added;
}

unsigned timeline_first(uint64_t *time_ns)
{
    if (count == 0) {
        return HOST_NOBODY;
    }
    *time_ns = heap[1].time_ns;
    return heap[1].core;
}

/* Puts a place at the top and lets it sink. */
static void sink(struct place last)
{
    unsigned at = 1;

    while (2 * at <= count) {
        unsigned child = 2 * at;

        child += child < count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
}

void timeline_drop_first(void)
{
    struct place last = heap[count--];

    sink(last);
}

void timeline_replace_first(unsigned core, uint64_t time_ns)
{
    sink((struct place){ .time_ns = time_ns, .core = core });
}
