/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "kernel_events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

#define RING_BYTES (1U << 18)
#define MOST_RECORD 2048U
#define PROMPT_NS 20000U /* a count that is read within this is of the moment before */
#define MOST_COUNTERS 8U /* what stands there in a record without counters is its size, which is more */
#define LATE_BYTES ((uint32_t)sizeof(struct late_head))

/* What the kernel writes of an event. Of a switch and a waking there follow the counters, with their number first; then its own record, with its size. */
struct sample {
    struct perf_event_header header;
    uint64_t time_ns;
};

static int open_tracepoint(const struct tracepoint *point, unsigned cpu, int leader, bool counts)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attributes),
        .config = point->id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | (counts ? PERF_SAMPLE_READ : 0U) | (point->is_weighted ? PERF_SAMPLE_PERIOD : 0U),
        .read_format = counts ? PERF_FORMAT_GROUP : 0U,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .write_backward = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Mapped without the right to write, which is what makes the kernel overwrite the oldest. */
static int map_ring(struct kernel_events *self, int fd)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *ring = mmap(NULL, page + RING_BYTES, PROT_READ, MAP_SHARED, fd, 0);

    if (ring == MAP_FAILED) {
        return errno;
    }
    self->ring = ring;
    return 0;
}

/* All of them write into the ring of the first, which is the switch. The first two bring the counters, the thread's waking because what was
 * taken may have been before it was due; no other does, since reading them is what costs most. The count of SMIs costs little: all bring it,
 * each in a group of its own, so that no record has the counts of the others. */
static int open_one(struct kernel_events *self, const struct tracepoint *point, int first, bool is_needed, int *fd)
{
    bool has_smis = self->smis.source == SMI_SOURCE_EVENT;
    bool counts = has_smis || (is_needed && self->found.blind == BLIND_NOT);
    int leader = has_smis ? smi_event_open(self->cpu) : counts ? self->counters.leader : -1;

    if (has_smis && leader < 0) {
        return errno;
    }
    *fd = open_tracepoint(point, self->cpu, leader, counts);
    if (*fd < 0) {
        return errno;
    }
    if (first < 0) {
        return map_ring(self, *fd);
    }
    return ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, first) == 0 ? 0 : errno;
}

static int open_all(struct kernel_events *self, const struct tracepoints *tracepoints)
{
    int first = -1;

    for (unsigned i = 0; i < tracepoints->count; i++) {
        const struct tracepoint *point = &tracepoints->points[i];
        int fd = -1;
        int error = open_one(self, point, first, i < TRACEPOINTS_NEEDED, &fd);

        if (error != 0 && i < TRACEPOINTS_NEEDED) {
            return error;
        }
        first = i == 0 ? fd : first;
        if (error == 0 && point->filter != NULL) {
            self->filtered[self->filters++] = (struct event_filter){ fd, point->filter };
        }
    }
    return 0;
}

static uint32_t comes_at(const struct tracepoint *switches)
{
    const char *field = strstr(switches->format, "field:pid_t next_pid;");
    uint32_t at = 0;

    return field != NULL && sscanf(field, "field:pid_t next_pid;\toffset:%" SCNu32, &at) == 1 ? at : 0;
}

void kernel_events_open(struct kernel_events *self, unsigned cpu, const struct tracepoints *tracepoints)
{
    self->cpu = cpu;
    self->switch_id = tracepoints->points[0].id;
    self->comes_at = comes_at(&tracepoints->points[0]);
    self->with_runtimes = tracepoints->with_runtimes;
    calibrate(&self->found, &self->counters, cpu);
    smi_counter_open(&self->smis, cpu);
    self->error = tracepoints->error != 0 ? tracepoints->error : open_all(self, tracepoints);
    if (self->error != 0) {
        self->ring = NULL;
    }
}

void kernel_events_of(struct kernel_events *self, pid_t thread)
{
    char filter[32];

    self->thread = thread;
    for (unsigned i = 0; i < self->filters && self->ring != NULL; i++) {
        snprintf(filter, sizeof(filter), self->filtered[i].filter, (int)thread);
        ioctl(self->filtered[i].fd, PERF_EVENT_IOC_SET_FILTER, filter);
    }
}

static uint64_t ring_head(const struct kernel_events *self)
{
    const struct perf_event_mmap_page *page = self->ring;

    return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

static void from_ring(const struct kernel_events *self, uint64_t at, void *out, uint32_t bytes)
{
    const char *data = (const char *)self->ring + sysconf(_SC_PAGESIZE);
    uint32_t start = (uint32_t)(at % RING_BYTES);
    uint32_t first = bytes < RING_BYTES - start ? bytes : RING_BYTES - start;

    memcpy(out, data + start, first);
    memcpy((char *)out + first, data, bytes - first);
}

static void to_kept(struct kernel_events *self, uint32_t at, const void *bytes, uint32_t count)
{
    uint32_t start = at % KEPT_BYTES;
    uint32_t first = count < KEPT_BYTES - start ? count : KEPT_BYTES - start;

    memcpy(self->kept + start, bytes, first);
    memcpy(self->kept, (const char *)bytes + first, count - first);
}

/* Of a switch the tracepoint's own record, NULL of all others. */
static const char *switch_of(const struct kernel_events *self, const char *record, uint32_t bytes)
{
    size_t at = sizeof(struct sample);
    uint64_t values = 0;
    uint16_t id = 0;

    if (self->found.blind == BLIND_NOT || self->smis.source == SMI_SOURCE_EVENT) {
        memcpy(&values, record + at, sizeof(values));
        at += values < MOST_COUNTERS ? (1U + (size_t)values) * sizeof(uint64_t) : 0;
    }
    at += sizeof(uint32_t);
    if (bytes < at + sizeof(id) || bytes < at + self->comes_at + sizeof(pid_t)) {
        return NULL;
    }
    memcpy(&id, record + at, sizeof(id));
    return id == self->switch_id ? record + at : NULL;
}

static bool comes(const struct kernel_events *self, const char *switched)
{
    pid_t thread;

    memcpy(&thread, switched + self->comes_at, sizeof(thread));
    return self->comes_at == 0 || thread == self->thread;
}

/* How far back the records of one late wake-up go: to the switch before it was due, which tells who ran then, and if that is near, to the
 * one that gave the CPU to the thread before: it tells what the thread was doing when it left. Many late wake-ups leave no room for that, but
 * for the longest of them. */
struct reach {
    uint64_t due_ns;
    uint32_t earlier_bytes; /* at least, beyond the first of these switches */
    uint32_t whole_bytes; /* that reach back to before it was due; 0 before that */
    bool is_done;
};

static void reach_back(struct reach *reach, const struct kernel_events *self, const char *record, uint32_t bytes, uint32_t copied)
{
    struct sample sample;
    const char *switched = switch_of(self, record, bytes);

    memcpy(&sample, record, sizeof(sample));
    if (switched == NULL || sample.time_ns >= reach->due_ns) {
        return;
    }
    reach->whole_bytes = reach->whole_bytes != 0 ? reach->whole_bytes : copied;
    reach->is_done = comes(self, switched) || copied - reach->whole_bytes >= reach->earlier_bytes;
}

/* The records from the newest back. Says how many bytes they take. */
static uint32_t copy_records(struct kernel_events *self, uint32_t to, const struct outlier *late, uint32_t room, bool *is_whole)
{
    const uint64_t head = ring_head(self);
    const bool is_busy = self->put - __atomic_load_n(&self->taken, __ATOMIC_ACQUIRE) > KEPT_BUSY;
    const bool has_room = !is_busy || late->late_ns >= SELDOM_NS;
    struct reach reach = { .due_ns = late->wake_ns - late->late_ns, .earlier_bytes = has_room ? KEPT_EARLIER : 0 };
    uint32_t copied = 0;

    while (!reach.is_done && copied + sizeof(struct sample) <= RING_BYTES) {
        char record[MOST_RECORD];
        struct sample sample;

        from_ring(self, head + copied, &sample, sizeof(sample));
        if (sample.header.type != PERF_RECORD_SAMPLE || sample.header.size < sizeof(sample) || sample.header.size > MOST_RECORD ||
            copied + sample.header.size > room) {
            break;
        }
        from_ring(self, head + copied, record, sample.header.size);
        to_kept(self, to + copied, record, sample.header.size);
        copied += sample.header.size;
        reach_back(&reach, self, record, sample.header.size, copied);
    }
    *is_whole = reach.whole_bytes != 0 && copied + (head - ring_head(self)) <= RING_BYTES;
    return copied;
}

void kernel_events_sleep(struct kernel_events *self)
{
    if (self->with_runtimes) {
        self->slept_at_own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }
}

/* Another reader of this CPU's events may hold the kernel's lock of them for milliseconds. A count that was waited for is of no known moment:
 * an SMI may have come meanwhile. */
static uint64_t read_smis(struct kernel_events *self, uint64_t before_ns)
{
    if (self->smis.source != SMI_SOURCE_EVENT) {
        return SMI_COUNT_UNKNOWN;
    }
    const uint64_t smis = smi_counter_read(&self->smis);

    return clock_ns(CLOCK_MONOTONIC) - before_ns < PROMPT_NS ? smis : SMI_COUNT_UNKNOWN;
}

void kernel_events_keep(struct kernel_events *self, const struct outlier *late)
{
    struct late_head head = { .wake_ns = late->wake_ns, .wake_ticks = late->wake_ticks, .cpu = late->cpu };
    struct reading reading;
    bool is_whole = false;

    if (self->ring == NULL) {
        return;
    }
    if (self->with_runtimes) {
        head.own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - self->slept_at_own_ns;
    }
    head.own_at_ns = clock_ns(CLOCK_MONOTONIC);
    head.smis = read_smis(self, head.own_at_ns);
    if (self->found.blind == BLIND_NOT && counters_read(&self->counters, &reading) == 0) {
        head.readable = 1;
        head.before_ticks = reading.before_ticks;
        head.after_ticks = reading.after_ticks;
        head.cycles = reading.cycles;
        head.events = reading.events;
    }
    uint32_t room = KEPT_BYTES - (self->put - __atomic_load_n(&self->taken, __ATOMIC_ACQUIRE));
    uint32_t most = late->late_ns < LONG_NS ? KEPT_OF_ONE : KEPT_OF_LONG;

    if (room < LATE_BYTES + most) {
        self->dropped++;
        return;
    }
    head.bytes = copy_records(self, self->put + LATE_BYTES, late, most, &is_whole);
    head.is_whole = is_whole;
    to_kept(self, self->put, &head, LATE_BYTES);
    __atomic_store_n(&self->put, self->put + LATE_BYTES + head.bytes, __ATOMIC_RELEASE);
}

static void from_kept(const struct kernel_events *self, uint32_t at, char *out, uint32_t count)
{
    uint32_t start = at % KEPT_BYTES;
    uint32_t first = count < KEPT_BYTES - start ? count : KEPT_BYTES - start;

    memcpy(out, self->kept + start, first);
    memcpy(out + first, self->kept, count - first);
}

uint32_t kernel_events_take(struct kernel_events *self, char *out)
{
    struct late_head head;

    if (self->taken == __atomic_load_n(&self->put, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    from_kept(self, self->taken, (char *)&head, LATE_BYTES);
    from_kept(self, self->taken, out, LATE_BYTES + head.bytes);
    __atomic_store_n(&self->taken, self->taken + LATE_BYTES + head.bytes, __ATOMIC_RELEASE);
    return LATE_BYTES + head.bytes;
}
