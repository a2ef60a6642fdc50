/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include "trace.h"

static const uint16_t pmf_event_ids[TRACE_PMF_EVENTS] = TRACE_PMF_EVENT_IDS;

/* By event id: PMF index + 1, 0 for an event that PMF does not have. */
static const uint8_t pmf_index_of_event[] = TRACE_PMF_INDEX_OF_EVENT;

static uint16_t event_of(const struct trace_record *record)
{
    return (uint16_t)record->event_arg;
}

static void begin_part(struct trace_ring *ring, struct trace_record *at)
{
    struct trace_record *lap_end = &ring->records[ring->lap_records];

    ring->part = at;
    ring->part_end = lap_end - at > TRACE_PART ? at + TRACE_PART : lap_end;
}

void trace_init(struct trace_ring *ring, struct trace_record *records, uint64_t lap_records)
{
    ring->records = records;
    ring->lap_records = lap_records;
    ring->next = ring->records;
    ring->lap_end = ring->records;
    ring->lap_first = 0;
    begin_part(ring, ring->records);
    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        ring->pmf_ticks[i] = 0;
    }
}

void trace_end_part(struct trace_ring *ring)
{
    for (const struct trace_record *record = ring->part; record != ring->next; record++) {
        uint16_t event = event_of(record);

        if (event < sizeof(pmf_index_of_event) && pmf_index_of_event[event] != 0) {
            ring->pmf_ticks[pmf_index_of_event[event] - 1U] = record->time_ticks;
        }
    }
    if (ring->next < &ring->records[ring->lap_records]) {
        begin_part(ring, ring->next);
        return;
    }
    ring->lap_first += (uint64_t)(ring->next - ring->records);
    ring->lap_end = ring->next;
    ring->next = ring->records;
    begin_part(ring, ring->records);
}

/* One look at a ring whose core may be writing. Whatever it saw, a place that is made of it lies within the ring. */
struct look {
    uint64_t lap_first;
    uint64_t written;  /* in this lap */
    uint64_t previous; /* where the lap before ended */
};

static struct look look_at(const struct trace_ring *ring)
{
    TRACE_READER_SYNC(ring, sizeof(*ring));

    const volatile struct trace_ring *seen = ring;

    return (struct look){
        .lap_first = seen->lap_first,
        .written = (uint64_t)(seen->next - ring->records),
        .previous = (uint64_t)(seen->lap_end - ring->records),
    };
}

static uint64_t oldest_of(const struct look *look)
{
    return look->lap_first - (look->previous > look->written ? look->previous - look->written : 0);
}

static uint64_t next_of(const struct look *look)
{
    return look->lap_first + look->written;
}

struct trace_status trace_status(const struct trace_ring *ring)
{
    struct look look = look_at(ring);

    return (struct trace_status){ .next = next_of(&look), .oldest = oldest_of(&look) };
}

static uint64_t place_of(const struct look *look, uint64_t sequence)
{
    return sequence >= look->lap_first ? sequence - look->lap_first : look->previous - (look->lap_first - sequence);
}

static bool is_same_lap(const struct look *before, const struct look *after)
{
    return before->lap_first == after->lap_first && before->previous == after->previous && before->written <= after->written;
}

int trace_read(const struct trace_ring *ring, uint64_t sequence, struct trace_record *out, unsigned room)
{
    struct look before;
    struct look after = look_at(ring);
    unsigned count;

    /* Again where the core has started another lap in between: some of what was copied may be older or newer. */
    do {
        before = after;
        if (sequence < oldest_of(&before)) {
            return -1;
        }
        for (count = 0; count < room && sequence + count < next_of(&before); count++) {
            const struct trace_record *place = &ring->records[place_of(&before, sequence + count)];

            TRACE_READER_SYNC(place, sizeof(*place));
            out[count] = *place;
        }
        after = look_at(ring);
    } while (!is_same_lap(&before, &after));
    return sequence < oldest_of(&after) ? -1 : (int)count;
}

uint64_t trace_pmf_ticks(const struct trace_ring *ring, unsigned pmf_index)
{
    TRACE_READER_SYNC(ring, sizeof(*ring));

    const struct trace_record *part = ring->part;
    const uint16_t event = pmf_event_ids[pmf_index];

    for (const struct trace_record *record = ring->next; record > part;) {
        record--;
        TRACE_READER_SYNC(record, sizeof(*record));
        if (event_of(record) == event) {
            return record->time_ticks;
        }
    }
    return ring->pmf_ticks[pmf_index];
}

#define CALIBRATION_ROUNDS 16U

static void __attribute__((noinline)) capture_nothing(void)
{
    __asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) capture_once(void)
{
    trace_event(TRACE_CALIBRATE, 0);
    __asm__ volatile("" ::: "memory");
}

static uint64_t rounds_ticks(void (*volatile body)(void))
{
    uint64_t start = TRACE_NOW_TICKS();

    for (unsigned i = 0; i < CALIBRATION_ROUNDS; i++) {
        body();
    }
    return TRACE_NOW_TICKS() - start;
}

uint32_t trace_calibrate_mticks(void)
{
    uint64_t without = rounds_ticks(capture_nothing);
    uint64_t with = rounds_ticks(capture_once);

    return with > without ? (uint32_t)((with - without) * 1000U / CALIBRATION_ROUNDS) : 0;
}
