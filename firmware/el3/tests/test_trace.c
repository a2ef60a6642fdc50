/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring: laps, lost records, the PMF view, a reader that is overtaken. */
#include <string.h>

#include "fake_platform.h"
#include "harness.h"

#if TRACE_ENABLED

static struct trace_ring *ring;

static void init(void)
{
    fake_init(&fake_juno, NULL);
    ring = host_ring();
}

/* A call of the firmware that captures `count` events: the argument is the record's own sequence. */
static void capture(unsigned count, uint64_t *sequence)
{
    for (unsigned i = 0; i < count; i++) {
        trace_event_at(1000 + *sequence, TRACE_LOCK_REQUEST, *sequence);
        (*sequence)++;
    }
    trace_settle();
}

/* Where the ring ends on both sides: what is lost is what was written less what is held, to the record. */
static struct trace_status check_ends(uint64_t next)
{
    struct trace_status status = trace_status(ring);
    struct trace_record record;

    CHECK_EQUAL(status.next, next);
    CHECK(status.oldest <= next);
    CHECK_EQUAL(trace_read(ring, next, &record, 1), 0);
    CHECK_EQUAL(trace_read(ring, next + TRACE_CAPACITY + 1000, &record, 1), 0);
    if (status.oldest != 0) {
        CHECK_EQUAL(trace_read(ring, status.oldest - 1, &record, 1), (uint64_t)-1);
    }
    if (status.oldest != next) {
        CHECK_EQUAL(trace_read(ring, status.oldest, &record, 1), 1);
        CHECK_EQUAL(record.event_arg >> 16, status.oldest);
    }
    return status;
}

static void check_held(uint64_t next)
{
    struct trace_status status = check_ends(next);
    struct trace_record record;

    for (uint64_t sequence = status.oldest; sequence < next; sequence++) {
        CHECK_EQUAL(trace_read(ring, sequence, &record, 1), 1);
        CHECK_EQUAL(record.event_arg >> 16, sequence);
        CHECK_EQUAL(record.time_ticks, 1000 + sequence);
    }
}

TEST(every_record_that_is_not_lost_reads_back_in_its_place_over_many_laps)
{
    uint64_t sequence = 0;

    init();
    for (uint64_t look = 0; sequence < 20U * TRACE_CAPACITY;) {
        capture(1 + (unsigned)(harness_random() % TRACE_SLACK), &sequence);
        check_ends(sequence);
        if (sequence >= look) {
            check_held(sequence);
            look = sequence + TRACE_CAPACITY / 7;
        }
    }
}

TEST(at_least_a_nominal_lap_less_one_call_is_held)
{
    uint64_t sequence = 0;

    init();
    while (sequence < 5U * TRACE_CAPACITY) {
        capture(7, &sequence);
        struct trace_status status = trace_status(ring);

        CHECK(sequence < TRACE_CAPACITY || status.next - status.oldest >= TRACE_CAPACITY - 7);
    }
}

TEST(a_call_that_fills_the_slack_stays_within_the_ring)
{
    uint64_t sequence = 0;

    init();
    capture(TRACE_CAPACITY - 1, &sequence);
    capture(TRACE_SLACK, &sequence);
    check_held(sequence);
    CHECK(ring->lap_end <= ring->records + TRACE_RECORDS);
}

TEST(the_pmf_view_gives_the_latest_stamp_also_from_laps_that_are_gone)
{
    uint64_t latest[TRACE_PMF_EVENTS] = { 0 };
    static const uint16_t ids[] = TRACE_PMF_EVENT_IDS;

    init();
    for (uint64_t time = 1; time < 20000 + 3U * TRACE_CAPACITY; time++) {
        unsigned index = (unsigned)(harness_random() % (time % 1000 < 900 ? 2 : TRACE_PMF_EVENTS));

        trace_event_at(time, (enum trace_event_id)ids[index], 0);
        trace_settle();
        latest[index] = time;
        if (time % (TRACE_CAPACITY > TRACE_PART ? 337 : 17) == 0) {
            for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
                CHECK_EQUAL(trace_pmf_ticks(ring, i), latest[i]);
            }
        }
    }
}

TEST(an_event_that_never_happened_has_no_pmf_stamp)
{
    init();
    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        ring->pmf_ticks[i] = 99; /* as memory may be before it is set up */
    }
    trace_init(ring, host_cores[0].records, TRACE_CAPACITY);
    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        CHECK_EQUAL(trace_pmf_ticks(ring, i), 0);
    }
}

TEST(what_lies_before_the_records_is_nobodys_stamp)
{
    static struct trace_record memory[1 + TRACE_CAPACITY];
    static const uint16_t ids[] = TRACE_PMF_EVENT_IDS;

    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        init();
        trace_init(ring, memory, TRACE_CAPACITY);
        trace_event_at(99, (enum trace_event_id)ids[i], 0);
        trace_settle();
        CHECK_EQUAL(trace_pmf_ticks(ring, i), 99);
        trace_init(ring, &memory[1], TRACE_CAPACITY);
        CHECK_EQUAL(trace_pmf_ticks(ring, i), 0);
    }
}

TEST(a_record_without_an_event_is_nobodys_stamp)
{
    init();
    while (trace_status(ring).next < 2U * TRACE_CAPACITY) {
        trace_event_at(7, (enum trace_event_id)0, 0);
        trace_settle();
    }
    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        CHECK_EQUAL(trace_pmf_ticks(ring, i), 0);
    }
}

static uint64_t written;
static unsigned looks;
static unsigned overtake_at;
static unsigned overtake_by;

/* The ring's core runs on while the reader looks. */
static void overtake(void)
{
    if (looks++ == overtake_at) {
        for (unsigned done = 0; done < overtake_by; done += 50) {
            capture(50, &written);
        }
    }
}

TEST(no_call_waits_for_more_than_a_part_of_a_lap_to_be_put_aside)
{
    uint64_t sequence = 0;
    unsigned longest = 0;

    init();
    while (sequence < 3U * TRACE_CAPACITY) {
        const struct trace_record *from = ring->next;

        capture(20, &sequence);
        if (ring->next == from + 20 && TRACE_CAPACITY > TRACE_PART) {
            unsigned left = (unsigned)(ring->next - ring->part);

            longest = left > longest ? left : longest;
        }
    }
    CHECK(longest <= TRACE_PART + 20U);
}

static void check_overtaken_read(unsigned before, unsigned at, unsigned by)
{
    struct trace_record records[3];

    init();
    written = 0;
    looks = 0;
    for (unsigned done = 0; done < before; done += 50) {
        capture(50, &written);
    }
    uint64_t sequence = trace_status(ring).oldest;

    overtake_at = at;
    overtake_by = by;
    looks = 0;
    host_on_reader_sync = overtake;
    int count = trace_read(ring, sequence, records, 3);

    host_on_reader_sync = NULL;
    CHECK(count == -1 || count == 3);
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(records[i].event_arg >> 16, sequence + (uint64_t)i);
    }
}

TEST(a_reader_that_is_overtaken_gets_the_right_records_or_is_told_that_they_are_lost)
{
    const unsigned laps = TRACE_CAPACITY / 512;

    for (unsigned before = 50; before <= 1500 * laps; before += 250 * laps) {
        for (unsigned at = 0; at < 6; at++) {
            for (unsigned by = 50; by <= 1700 * laps; by += 150 * laps) {
                check_overtaken_read(before, at, by);
            }
        }
    }
}

TEST(a_capture_is_at_the_same_place_in_time_as_the_counter)
{
    init();
    host_cores[0].now_ticks = 41;
    trace_event(TRACE_WARM_BOOT, 5);
    CHECK_EQUAL(ring->records[0].time_ticks, 42);
    CHECK_EQUAL(ring->records[0].event_arg, 5ULL << 16 | TRACE_WARM_BOOT);
}

static unsigned syncs;

static void count_sync(void)
{
    syncs++;
}

static unsigned syncs_of_reading(unsigned count)
{
    struct trace_record records[3];

    syncs = 0;
    host_on_reader_sync = count_sync;
    CHECK_EQUAL(trace_read(ring, 0, records, count), count);
    host_on_reader_sync = NULL;
    return syncs;
}

TEST(a_reader_looks_past_its_caches_for_the_ends_of_the_ring_and_for_each_record)
{
    uint64_t sequence = 0;

    init();
    capture(3, &sequence);
    unsigned of_one = syncs_of_reading(1);

    CHECK(of_one >= 3);
    CHECK_EQUAL(syncs_of_reading(3), of_one + 2);
}

/* One record more between the looks before and after the copy. */
static void add_record_late(void)
{
    if (syncs++ == 1) {
        capture(1, &written);
    }
}

TEST(a_reader_that_sees_the_ring_grow_while_it_copies_is_content)
{
    struct trace_record record;

    init();
    written = 0;
    capture(3, &written);
    unsigned undisturbed = syncs_of_reading(1);

    syncs = 0;
    host_on_reader_sync = add_record_late;
    CHECK_EQUAL(trace_read(ring, 0, &record, 1), 1);
    host_on_reader_sync = NULL;
    CHECK_EQUAL(syncs, undisturbed);
    CHECK_EQUAL(written, 4);
}

/* What the core's stores look like to another while they arrive one by one: the next lap's place is there, its number is not. */
static void begin_lap_half_seen(void)
{
    static uint64_t lap_first;
    static struct trace_record *lap_end;

    if (syncs == 1) {
        lap_first = ring->lap_first;
        lap_end = ring->lap_end;
        while (ring->lap_first == lap_first) {
            capture(50, &written);
        }
        capture(50, &written);
        uint64_t new_first = ring->lap_first;
        struct trace_record *new_end = ring->lap_end;

        ring->lap_first = lap_first;
        ring->lap_end = lap_end;
        lap_first = new_first;
        lap_end = new_end;
    }
    if (syncs == 3) {
        ring->lap_first = lap_first;
        ring->lap_end = lap_end;
    }
    syncs++;
}

TEST(a_reader_that_sees_half_of_a_new_lap_looks_again)
{
    struct trace_record record;

    init();
    written = 0;
    capture(100, &written);
    syncs = 0;
    host_on_reader_sync = begin_lap_half_seen;
    int count = trace_read(ring, 10, &record, 1);

    host_on_reader_sync = NULL;
    CHECK(syncs > 3);
    CHECK(count == -1 || (count == 1 && record.event_arg >> 16 == 10));
}

TEST(calibration_tells_what_a_capture_costs_in_thousandths_of_a_tick)
{
    struct trace_record record;

    init();
    CHECK_EQUAL(trace_calibrate_mticks(), 1000);
    CHECK_EQUAL(trace_status(ring).next, 16);
    CHECK_EQUAL(trace_read(ring, 0, &record, 1), 1);
    CHECK_EQUAL(record.event_arg, TRACE_CALIBRATE);
}

#else

TEST(compiled_out_a_capture_is_nothing)
{
    fake_init(&fake_juno, NULL);
    struct trace_ring before = *host_ring();
    uint64_t now_ticks = host_cores[0].now_ticks;

    trace_event(TRACE_ENTER_PSCI, 1);
    trace_event_at(5, TRACE_EXIT_PSCI, 1);
    trace_settle();
    CHECK(memcmp(&before, host_ring(), sizeof(before)) == 0);
    CHECK_EQUAL(host_cores[0].now_ticks, now_ticks);
}

#endif
