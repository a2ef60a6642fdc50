/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"
#include "histogram.h"

TEST(every_bucket_begins_with_its_own_lowest_value)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t lowest_ns = histogram_lowest_ns(bucket);

        CHECK(histogram_bucket(lowest_ns) == bucket);
        if (bucket != 0) {
            CHECK(histogram_bucket(lowest_ns - 1U) == bucket - 1U);
        }
    }
}

TEST(values_below_128_ns_are_exact)
{
    for (uint64_t value_ns = 0; value_ns < 128; value_ns++) {
        CHECK(histogram_lowest_ns(histogram_bucket(value_ns)) == value_ns);
    }
}

TEST(no_bucket_is_wider_than_a_64th_of_its_value)
{
    for (unsigned bucket = 129; bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t low = histogram_lowest_ns(bucket - 1U);

        CHECK(histogram_lowest_ns(bucket) - low <= low / 64U + 1U);
    }
}

TEST(the_largest_value_has_the_last_bucket)
{
    CHECK(histogram_bucket(UINT64_MAX) == HISTOGRAM_BUCKETS - 1U);
}
