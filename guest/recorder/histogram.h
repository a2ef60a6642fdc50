/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log-linear histogram of nanoseconds: exact below 128 ns, then 64 buckets per octave (1.6 % wide at most), up to the last
 * value that 64 bits hold. Nothing is clipped.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 6U
#define HISTOGRAM_SUB_BUCKETS (1U << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS ((64U - HISTOGRAM_SUB_BITS + 1U) * HISTOGRAM_SUB_BUCKETS)

struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Of any value; below HISTOGRAM_BUCKETS, and it never falls as the value grows. */
static inline unsigned histogram_bucket(uint64_t value_ns)
{
    if (value_ns < 2U * HISTOGRAM_SUB_BUCKETS) {
        return (unsigned)value_ns;
    }
    unsigned shift = 63U - (unsigned)__builtin_clzll(value_ns) - HISTOGRAM_SUB_BITS;

    return shift * HISTOGRAM_SUB_BUCKETS + (unsigned)(value_ns >> shift);
}

/* The smallest value of a bucket below HISTOGRAM_BUCKETS. */
uint64_t histogram_lowest_ns(unsigned bucket);

static inline void histogram_add(struct histogram *histogram, uint64_t value_ns)
{
    histogram->counts[histogram_bucket(value_ns)]++;
}

#endif
