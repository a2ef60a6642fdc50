/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "histogram.h"

static void every_bucket_begins_with_its_own_lowest_value(void)
{
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t lowest_ns = histogram_lowest_ns(bucket);

        CHECK(histogram_bucket(lowest_ns) == bucket);
        if (bucket != 0) {
            CHECK(histogram_bucket(lowest_ns - 1U) == bucket - 1U);
        }
    }
}

static void values_below_128_ns_are_exact(void)
{
    for (uint64_t value_ns = 0; value_ns < 128; value_ns++) {
        CHECK(histogram_lowest_ns(histogram_bucket(value_ns)) == value_ns);
    }
}

static void no_bucket_is_wider_than_a_64th_of_its_value(void)
{
    for (unsigned bucket = 129; bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t low = histogram_lowest_ns(bucket - 1U);

        CHECK(histogram_lowest_ns(bucket) - low <= low / 64U + 1U);
    }
}

static void the_largest_value_has_the_last_bucket(void)
{
    CHECK(histogram_bucket(UINT64_MAX) == HISTOGRAM_BUCKETS - 1U);
}

int main(void)
{
    every_bucket_begins_with_its_own_lowest_value();
    values_below_128_ns_are_exact();
    no_bucket_is_wider_than_a_64th_of_its_value();
    the_largest_value_has_the_last_bucket();
    return failures != 0;
}
