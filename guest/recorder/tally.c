/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

#include <string.h>

#define FNV_OFFSET 0xCBF29CE484222325ULL
#define FNV_PRIME 0x100000001B3ULL
#define IMPLIED_AT_ONCE 100000U /* 20 s at 200 us: beyond that the missed periods are counted but not drawn */

void tally_init(struct tally *tally)
{
    memset(tally, 0, sizeof(*tally));
    tally->min_ns = UINT64_MAX;
    tally->digest = FNV_OFFSET;
}

static void put(struct tally *tally, struct outlier_queue *queue, const struct outlier *outlier)
{
    uint32_t at = queue->put;

    tally->outliers++;
    if (at - __atomic_load_n(&queue->taken, __ATOMIC_ACQUIRE) == OUTLIERS_HELD) {
        tally->outliers_dropped++;
        return;
    }
    queue->entries[at % OUTLIERS_HELD] = *outlier;
    __atomic_store_n(&queue->put, at + 1U, __ATOMIC_RELEASE);
}

static void imply(struct tally *tally, uint64_t interval_ns, uint64_t late_ns, uint64_t missed)
{
    for (uint64_t i = 0; i < missed && i < IMPLIED_AT_ONCE; i++) {
        late_ns -= interval_ns;
        histogram_add(&tally->implied, late_ns);
    }
}

uint64_t tally_wake_up(struct tally *tally, struct outlier_queue *queue, const struct tally_rules *rules, uint64_t due_ns,
                       const struct outlier *wake)
{
    uint64_t late_ns = wake->wake_ns > due_ns ? wake->wake_ns - due_ns : 0;
    uint64_t missed = 0;

    tally->got++;
    tally->sum_ns += late_ns;
    tally->min_ns = late_ns < tally->min_ns ? late_ns : tally->min_ns;
    tally->max_ns = late_ns > tally->max_ns ? late_ns : tally->max_ns;
    tally->digest = (tally->digest ^ late_ns) * FNV_PRIME;
    histogram_add(&tally->measured, late_ns);

    if (late_ns >= rules->interval_ns) {
        missed = late_ns / rules->interval_ns;
        tally->missed += missed;
        imply(tally, rules->interval_ns, late_ns, missed);
    }
    if (late_ns > rules->outlier_ns || missed != 0) {
        struct outlier outlier = *wake;

        outlier.late_ns = late_ns;
        outlier.missed = missed < UINT32_MAX ? (uint32_t)missed : UINT32_MAX;
        put(tally, queue, &outlier);
    }
    return due_ns + (missed + 1U) * rules->interval_ns;
}

bool outlier_take(struct outlier_queue *queue, struct outlier *out)
{
    uint32_t at = queue->taken;

    if (at == __atomic_load_n(&queue->put, __ATOMIC_ACQUIRE)) {
        return false;
    }
    *out = queue->entries[at % OUTLIERS_HELD];
    __atomic_store_n(&queue->taken, at + 1U, __ATOMIC_RELEASE);
    return true;
}
