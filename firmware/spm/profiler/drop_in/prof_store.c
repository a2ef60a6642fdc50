/* SPDX-License-Identifier: BSD-3-Clause */
#include "prof_common.h"
#include "prof_hal.h"

struct item {
    uint32_t tag;
    uint32_t count;
};

static struct item items[PROF_DB_MAX];
static uint32_t used;
static uint32_t lost;
static uint32_t found; /* where the next search goes on */
static uint32_t calibrations[PROF_MAX_CALI_SETS];

bool prof_init(void)
{
    used = 0;
    lost = 0;
    found = 0;
    for (uint32_t i = 0; i < PROF_MAX_CALI_SETS; i++) {
        calibrations[i] = 0;
    }
    return prof_hal_init();
}

uint32_t prof_timing_cp(uint32_t tag)
{
    uint32_t count = prof_hal_get_count();

    if (PROF_GET_TYPE_FROM_TAG(tag) == PROF_TYPE_TIMING_CALI) {
        return count;
    }
    if (used == PROF_DB_MAX) {
        lost++;
        return count;
    }
    items[used++] = (struct item){ tag, count };
    return count;
}

uint32_t prof_lost(void)
{
    return lost;
}

/* An interrupt can only make a round longer, so the least is the checkpoint's own. */
static uint32_t least_cost(uint32_t rounds)
{
    uint32_t tag = PROF_MAKE_TIMING_TAG(0, 0, 0, PROF_TYPE_TIMING_CALI);
    uint32_t least = UINT32_MAX;
    uint32_t before = prof_timing_cp(tag);

    while (rounds-- != 0U) {
        uint32_t now = prof_timing_cp(tag);

        least = now - before < least ? now - before : least;
        before = now;
    }
    return least;
}

void prof_calibrate(uint32_t index, uint32_t rounds, uint32_t value)
{
    if (index < PROF_MAX_CALI_SETS) {
        calibrations[index] = rounds == 0U ? value : least_cost(rounds);
    }
}

uint32_t prof_get_cali_value(uint32_t index)
{
    return index < PROF_MAX_CALI_SETS ? calibrations[index] : 0U;
}

bool prof_get_data_continue(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask)
{
    while (found < used) {
        const struct item *item = &items[found++];

        if ((item->tag & mask) == pattern) {
            *tag = item->tag;
            *data = item->count;
            return true;
        }
    }
    return false;
}

bool prof_get_data_start(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask)
{
    found = 0;
    return prof_get_data_continue(tag, data, pattern, mask);
}

static bool is_at(const struct item *item, uint32_t tag)
{
    return ((item->tag ^ tag) & PROF_MASK_TOPIC_CP) == 0U;
}

struct differences {
    uint32_t pairs;
    uint32_t first;
    uint32_t least;
    uint32_t greatest;
    uint64_t sum;
};

static void add(struct differences *differences, uint32_t difference)
{
    if (differences->pairs++ == 0U) {
        differences->first = difference;
        differences->least = difference;
    }
    differences->least = difference < differences->least ? difference : differences->least;
    differences->greatest = difference > differences->greatest ? difference : differences->greatest;
    differences->sum += difference;
}

/* Modulo the counter's width, so that a counter that goes round between two checkpoints does no harm. */
static uint32_t less_its_cost(const struct item *begin, const struct item *end)
{
    uint32_t difference = end->count - begin->count;
    uint32_t cost = calibrations[PROF_GET_CALI_IDX_FROM_TAG(end->tag)];

    return difference > cost ? difference - cost : 0U;
}

/* A checkpoint a that another a follows has lost its b: it counts for nothing. */
static struct differences all_of(uint32_t tag_a, uint32_t tag_b)
{
    struct differences differences = { 0 };
    const struct item *begin = NULL;

    for (uint32_t i = 0; i < used; i++) {
        if (begin != NULL && is_at(&items[i], tag_b)) {
            add(&differences, less_its_cost(begin, &items[i]));
            begin = NULL;
        }
        if (is_at(&items[i], tag_a)) {
            begin = &items[i];
        }
    }
    return differences;
}

uint32_t prof_data_diff(uint32_t tag_a, uint32_t tag_b)
{
    return all_of(tag_a, tag_b).first;
}

uint32_t prof_data_diff_min(uint32_t tag_a, uint32_t tag_b)
{
    struct differences differences = all_of(tag_a, tag_b);

    return differences.pairs == 0U ? UINT32_MAX : differences.least;
}

uint32_t prof_data_diff_max(uint32_t tag_a, uint32_t tag_b)
{
    return all_of(tag_a, tag_b).greatest;
}

uint32_t prof_data_diff_avg(uint32_t tag_a, uint32_t tag_b)
{
    struct differences differences = all_of(tag_a, tag_b);

    return differences.pairs == 0U ? 0U : (uint32_t)((differences.sum + differences.pairs / 2U) / differences.pairs);
}
