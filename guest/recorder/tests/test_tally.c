/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"
#include "tally.h"

static struct tally tally;
static struct outlier_queue queue;
static const struct tally_rules rules = { .interval_ns = 200000, .outlier_ns = 100000 };

static uint64_t wake(uint64_t due_ns, uint64_t late_ns)
{
    struct outlier at = { .wake_ns = due_ns + late_ns, .cpu = 3 };

    return tally_wake_up(&tally, &queue, &rules, due_ns, &at);
}

static void start(void)
{
    tally_init(&tally);
    queue.put = queue.taken = 0;
}

TEST(a_timely_wake_up_is_due_again_one_interval_later)
{
    start();
    CHECK(wake(1000000, 5000) == 1200000);
    CHECK(tally.got == 1 && tally.missed == 0 && tally.min_ns == 5000 && tally.max_ns == 5000 && tally.outliers == 0);
}

TEST(an_early_return_counts_as_not_late)
{
    struct outlier at = { .wake_ns = 900 };

    start();
    CHECK(tally_wake_up(&tally, &queue, &rules, 1000, &at) == 201000);
    CHECK(tally.max_ns == 0);
}

TEST(periods_that_pass_while_late_are_missed_and_implied)
{
    struct outlier outlier;

    start();
    CHECK(wake(1000000, 450000) == 1600000);
    CHECK(tally.got == 1 && tally.missed == 2);
    CHECK(tally.implied.counts[histogram_bucket(250000)] == 1);
    CHECK(tally.implied.counts[histogram_bucket(50000)] == 1);
    CHECK(outlier_take(&queue, &outlier));
    CHECK(outlier.missed == 2 && outlier.late_ns == 450000 && outlier.wake_ns == 1450000 && outlier.cpu == 3);
    CHECK(!outlier_take(&queue, &outlier));
}

TEST(a_wake_up_exactly_one_interval_late_misses_one)
{
    start();
    CHECK(wake(1000000, 200000) == 1400000);
    CHECK(tally.missed == 1);
}

TEST(got_and_missed_are_all_that_was_due)
{
    uint64_t due_ns = 0;

    start();
    for (uint64_t i = 0; i < 1000; i++) {
        due_ns = wake(due_ns, i * 7919U % 900000U);
    }
    CHECK(tally.got + tally.missed == due_ns / rules.interval_ns);
}

TEST(outliers_beyond_the_queue_are_dropped_and_counted)
{
    start();
    for (unsigned i = 0; i < OUTLIERS_HELD + 5U; i++) {
        wake(1000000, 150000);
    }
    CHECK(tally.outliers == OUTLIERS_HELD + 5U && tally.outliers_dropped == 5);
}

TEST(the_digest_depends_on_the_order_of_the_samples)
{
    start();
    wake(0, 1000);
    wake(0, 2000);
    uint64_t rising = tally.digest;

    start();
    wake(0, 2000);
    wake(0, 1000);
    CHECK(tally.digest != rising);
}
