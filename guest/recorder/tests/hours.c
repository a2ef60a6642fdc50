/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hours of wake-ups through the recorder's own bookkeeping and into a real file, without the hours: every wake-up comes from a
 * generator and the clock is a variable. Usage: hours FILE CPUS SECONDS LATE, where LATE of a million wake-ups are outliers.
 * Prints for each CPU what its file must say: wake-ups, missed periods, outliers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "recording.h"

#define NS_PER_S 1000000000ULL
#define INTERVAL_NS 200000ULL
#define OUTLIER_NS 100000ULL
#define MILLION 1000000U

static struct recording recording;
static struct measurer measurers[RECORD_MAX_CPUS];
static struct recording_moment moment;
static uint64_t state = 88172645463325252ULL;

static struct recording_moment now(void)
{
    return moment;
}

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Mostly some microseconds; an outlier is late by up to five periods. */
static uint64_t latency_ns(unsigned late)
{
    uint64_t drawn = random_number();

    return drawn % MILLION < late ? OUTLIER_NS + 1U + (drawn >> 32) % (5U * INTERVAL_NS) : 2000U + (drawn >> 32) % 20000U;
}

static void wake_until(struct measurer *measurer, uint64_t end_ns, unsigned late)
{
    uint64_t due_ns = measurer->first_due_ns;

    while (due_ns < end_ns) {
        struct outlier wake = { .wake_ns = due_ns + latency_ns(late), .cpu = measurer->cpu };

        due_ns = tally_wake_up(&measurer->tally, &measurer->queue, &measurer->rules, due_ns, &wake);
    }
    measurer->first_due_ns = due_ns;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        return 2;
    }
    const unsigned cpus = (unsigned)atoi(argv[2]);
    const unsigned seconds = (unsigned)atoi(argv[3]);
    const unsigned late = (unsigned)atoi(argv[4]);

    recording.file.header = (struct record_header){
        .cpus = cpus, .interval_ns = INTERVAL_NS, .outlier_ns = OUTLIER_NS, .duration_ns = seconds * NS_PER_S,
    };
    for (unsigned i = 0; i < cpus; i++) {
        recording.file.header.cpu_numbers[i] = i;
        measurers[i] = (struct measurer){ .rules = { INTERVAL_NS, OUTLIER_NS }, .cpu = i };
        tally_init(&measurers[i].tally);
    }
    if (record_create(&recording.file, argv[1]) != 0) {
        return 3;
    }
    for (unsigned second = 1; second <= seconds; second++) {
        moment.ns = second * NS_PER_S;
        for (unsigned i = 0; i < cpus; i++) {
            wake_until(&measurers[i], moment.ns, late);
        }
        if (recording_checkpoint(&recording, measurers, now, second == seconds) != 0) {
            return 3;
        }
    }
    for (unsigned i = 0; i < cpus; i++) {
        const struct tally *tally = &measurers[i].tally;

        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tally->got, tally->missed, tally->outliers);
    }
    return 0;
}
