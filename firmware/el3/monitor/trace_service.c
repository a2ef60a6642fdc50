/* SPDX-License-Identifier: BSD-3-Clause */
/* The rings, seen from the normal world: PMF's calls and latlab's own. docs/reference/trace-format.md is the promise. */
#include "monitor.h"
#include "require.h"

#define ID_64_BIT 0x40000000U
#define PMF_GET_TIMESTAMP_32 0x87000020U
#define PMF_GET_VERSION_32 0x87000021U
#define PMF_GET_VERSION_64 0xC7000021U
#define TRACE_INFO 0xC7000030U
#define TRACE_TOPOLOGY 0xC7000031U
#define TRACE_STATUS 0xC7000032U
#define TRACE_READ 0xC7000033U
#define TRACE_BUILD 0xC7000034U

#define PMF_ID_RUNTIME_INSTRUMENTATION (0x41U << 24 | 1U << 10)
#define PMF_VERSION_0_1 1U
#define MPIDR_AFFINITY 0xFF00FFFFFFULL
#define INVALID_PARAMETERS ((uint64_t)-2)
#define RECORDS_PER_CALL 3U
#define BUILD_BYTES 96U
#define BUILD_BYTES_PER_CALL 24U

/* PMF's callers pass what they read from MPIDR_EL1, with the bits in it that are no affinity. */
static bool pmf_ticks(uint64_t id, uint64_t mpidr, uint64_t *ticks)
{
    int core = monitor.core_of_mpidr(mpidr & MPIDR_AFFINITY);
    uint64_t index = id - PMF_ID_RUNTIME_INSTRUMENTATION;

    if (core < 0 || index >= TRACE_PMF_EVENTS) {
        return false;
    }
    *ticks = trace_pmf_ticks(monitor.ring((unsigned)core), (unsigned)index);
    return true;
}

static void pmf_get_timestamp(struct smc_frame *frame, bool is_32_bit)
{
    uint64_t used = is_32_bit ? UINT32_MAX : UINT64_MAX;
    uint64_t ticks = 0;

    frame->x[0] = pmf_ticks(frame->x[1] & used, frame->x[2] & used, &ticks) ? 0 : INVALID_PARAMETERS;
    frame->x[1] = ticks & used;
    frame->x[2] = is_32_bit ? ticks >> 32 : 0;
}

static void info(struct smc_frame *frame)
{
    frame->x[0] = 0;
    frame->x[1] = TRACE_EVENTS_HASH;
    frame->x[2] = arch_counter_hz();
    frame->x[3] = monitor.capture_mticks;
}

static void topology(struct smc_frame *frame)
{
    if (frame->x[1] >= monitor.cores) {
        frame->x[0] = INVALID_PARAMETERS;
        return;
    }
    struct monitor_location location = monitor.location((unsigned)frame->x[1]);

    REQUIRE(location.mpidr == (location.mpidr & MPIDR_AFFINITY));
    frame->x[0] = 0;
    frame->x[1] = location.mpidr;
    frame->x[2] = (uint64_t)location.core << 32 | location.cluster;
    frame->x[3] = monitor.cores;
}

static void status(struct smc_frame *frame)
{
    int core = monitor.core_of_mpidr(frame->x[1]);

    if (core < 0) {
        frame->x[0] = INVALID_PARAMETERS;
        return;
    }
    struct trace_status status = trace_status(monitor.ring((unsigned)core));

    frame->x[0] = 0;
    frame->x[1] = status.next;
    frame->x[2] = status.oldest;
}

static void read(struct smc_frame *frame)
{
    struct trace_record records[RECORDS_PER_CALL];
    int core = monitor.core_of_mpidr(frame->x[1]);
    int count = core < 0 ? -1 : trace_read(monitor.ring((unsigned)core), frame->x[2], records, RECORDS_PER_CALL);

    if (count < 0) {
        frame->x[0] = INVALID_PARAMETERS;
        return;
    }
    frame->x[0] = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        frame->x[1 + 2 * i] = records[i].time_ticks;
        frame->x[2 + 2 * i] = records[i].event_arg;
    }
}

static uint64_t build_word(uint64_t offset)
{
    uint64_t word = 0;
    const char *build = monitor.build;

    REQUIRE(build != NULL && offset + sizeof(word) <= BUILD_BYTES);
    for (unsigned at = 0; at < offset + sizeof(word) && build[at] != '\0'; at++) {
        if (at >= offset) {
            word |= (uint64_t)(uint8_t)build[at] << (8U * (at - offset));
        }
    }
    return word;
}

static void build(struct smc_frame *frame)
{
    uint64_t offset = frame->x[1];

    if (offset >= BUILD_BYTES || offset % BUILD_BYTES_PER_CALL != 0) {
        frame->x[0] = INVALID_PARAMETERS;
        return;
    }
    frame->x[0] = 0;
    for (unsigned i = 0; i < 3; i++) {
        frame->x[1 + i] = build_word(offset + 8U * i);
    }
}

static bool __attribute__((noinline)) other_call(uint32_t id, struct smc_frame *frame)
{
    switch (id) {
    case PMF_GET_VERSION_32:
    case PMF_GET_VERSION_64:
        frame->x[0] = 0;
        frame->x[1] = PMF_VERSION_0_1;
        return true;
    case TRACE_INFO:
        info(frame);
        return true;
    case TRACE_TOPOLOGY:
        topology(frame);
        return true;
    case TRACE_STATUS:
        status(frame);
        return true;
    case TRACE_READ:
        read(frame);
        return true;
    case TRACE_BUILD:
        build(frame);
        return true;
    default:
        return false;
    }
}

/* A test framework reads a stamp between any two of its steps: it comes first. */
bool trace_call(uint32_t id, struct smc_frame *frame)
{
    if ((id & ~ID_64_BIT) == PMF_GET_TIMESTAMP_32) {
        pmf_get_timestamp(frame, (id & ID_64_BIT) == 0);
        return true;
    }
    return other_call(id, frame);
}
