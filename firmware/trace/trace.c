#include "trace.h"

static const uint16_t pmf_event_ids[TRACE_PMF_EVENTS] = TRACE_PMF_EVENT_IDS;

/* By event id: PMF index + 1, 0 for an event that PMF does not have. */
static const uint8_t pmf_index_of_event[] = TRACE_PMF_INDEX_OF_EVENT;

static uint16_t event_of(const struct trace_record *record)
{
    return (uint16_t)record->event_arg;
}

void trace_init(struct trace_ring *ring)
{
    ring->next = ring->records;
    ring->lap_end = ring->records;
    ring->lap_first = 0;
    for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
        ring->pmf_ticks[i] = 0;
    }
}

void trace_next_lap(struct trace_ring *ring)
{
    for (const struct trace_record *record = ring->records; record != ring->next; record++) {
        uint16_t event = event_of(record);

        if (event < sizeof(pmf_index_of_event) && pmf_index_of_event[event] != 0) {
            ring->pmf_ticks[pmf_index_of_event[event] - 1U] = record->time_ticks;
        }
    }
    ring->lap_first += (uint64_t)(ring->next - ring->records);
    ring->lap_end = ring->next;
    ring->next = ring->records;
}

struct trace_status trace_status(const struct trace_ring *ring)
{
    TRACE_READER_SYNC(ring, sizeof(*ring) - sizeof(ring->records));

    uint64_t written = (uint64_t)(ring->next - ring->records);
    uint64_t previous = (uint64_t)(ring->lap_end - ring->records);
    uint64_t held_of_previous = previous > written ? previous - written : 0;

    return (struct trace_status){ .next = ring->lap_first + written, .oldest = ring->lap_first - held_of_previous };
}

static const struct trace_record *place_of(const struct trace_ring *ring, uint64_t sequence)
{
    if (sequence >= ring->lap_first) {
        return ring->records + (sequence - ring->lap_first);
    }
    return ring->lap_end - (ring->lap_first - sequence);
}

int trace_read(const struct trace_ring *ring, uint64_t sequence, struct trace_record *out, unsigned room)
{
    struct trace_status status = trace_status(ring);
    unsigned count = 0;

    if (sequence < status.oldest) {
        return -1;
    }
    for (; count < room && sequence + count < status.next; count++) {
        const struct trace_record *place = place_of(ring, sequence + count);

        TRACE_READER_SYNC(place, sizeof(*place));
        out[count] = *place;
    }
    return sequence < trace_status(ring).oldest ? -1 : (int)count;
}

uint64_t trace_pmf_ticks(const struct trace_ring *ring, unsigned pmf_index)
{
    TRACE_READER_SYNC(ring, sizeof(*ring) - sizeof(ring->records));

    for (const struct trace_record *record = ring->next; record != ring->records;) {
        record--;
        TRACE_READER_SYNC(record, sizeof(*record));
        if (event_of(record) == pmf_event_ids[pmf_index]) {
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
