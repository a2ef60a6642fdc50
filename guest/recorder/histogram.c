/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

uint64_t histogram_lowest_ns(unsigned bucket)
{
    if (bucket < 2U * HISTOGRAM_SUB_BUCKETS) {
        return bucket;
    }
    unsigned shift = bucket / HISTOGRAM_SUB_BUCKETS - 1U;

    return (uint64_t)(bucket - shift * HISTOGRAM_SUB_BUCKETS) << shift;
}
