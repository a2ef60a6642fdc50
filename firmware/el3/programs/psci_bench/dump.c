/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include "base64.h"
#include "console.h"
#include "core.h"
#include "format.h"
#include "gic.h"
#include "panic.h"
#include "smc.h"
#include "trace_call.h"

#define READ_BYTES (TRACE_RECORDS_PER_READ * TRACE_RECORD_BYTES)

/* `cores of cluster 0,cores of cluster 1,...`, as many clusters as the firmware numbers. */
static void format_topology(char *out, size_t size)
{
    uint32_t cores_of[MAX_CORES] = { 0 };
    uint32_t clusters = 0;
    size_t length = 0;

    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i].cluster >= MAX_CORES) {
            panic("core %u is in cluster %u: this program knows %u clusters", i, cores[i].cluster, MAX_CORES);
        }
        cores_of[cores[i].cluster]++;
        if (cores[i].cluster >= clusters) {
            clusters = cores[i].cluster + 1;
        }
    }
    for (uint32_t i = 0; i < clusters && length < size; i++) {
        length += format_text(out + length, size - length, i == 0 ? "%u" : ",%u", cores_of[i]);
    }
}

/* The values of a dump line have no spaces. */
static void read_build(char out[TRACE_BUILD_BYTES + 1])
{
    size_t n = 0;

    for (uint64_t offset = 0; offset < TRACE_BUILD_BYTES; offset += TRACE_BUILD_CHUNK) {
        struct smc_result r = smc(TRACE_BUILD, offset, 0, 0);

        if (r.x[0] != 0) {
            break;
        }
        for (size_t i = 0; i < TRACE_BUILD_CHUNK; i++) {
            char c = (char)(r.x[1 + i / 8] >> i % 8 * 8);

            if (c == '\0') {
                break;
            }
            out[n++] = c > ' ' && c < 0x7f && c != '<' && c != '>' ? c : '_';
        }
    }
    if (n == 0) {
        out[n++] = '?';
    }
    out[n] = '\0';
}

void dump_boot(uint64_t iterations)
{
    struct smc_result r = smc(TRACE_INFO, 0, 0, 0);
    char topology[64];
    char build[TRACE_BUILD_BYTES + 1];

    if (r.x[0] != 0) {
        panic("TRACE_INFO returned %ld: this program needs a firmware with the trace service", (int64_t)r.x[0]);
    }
    format_topology(topology, sizeof(topology));
    read_build(build);
    console_dump(
        "BOOT events=%016lx clock_hz=%lu capture_mticks=%lu topology=%s lead=%u.%u iterations=%lu el=%u gic=%u firmware=%s",
        r.x[1], r.x[2], r.x[3], topology, cores[lead_index].cluster, cores[lead_index].core, iterations, current_el(),
        gic_version(), build);
}

void dump_test(const char *test, uint64_t iteration)
{
    console_dump("TEST name=%s iteration=%lu lead=%u.%u", test, iteration, cores[lead_index].cluster, cores[lead_index].core);
}

static uint64_t oldest_sequence(uint64_t mpidr)
{
    struct smc_result r = smc(TRACE_STATUS, mpidr, 0, 0);

    if (r.x[0] != 0) {
        panic("TRACE_STATUS of MPIDR %lx returned %ld", mpidr, (int64_t)r.x[0]);
    }
    return r.x[2];
}

/* Up to three records from `sequence` on; returns how many. */
static uint64_t dump_records(const struct core *core, uint64_t sequence, uint64_t end)
{
    struct smc_result r = smc(TRACE_READ, core->mpidr, sequence, 0);
    uint64_t records = r.x[0];
    char text[BASE64_SIZE(READ_BYTES)];

    if (records == 0 || records > TRACE_RECORDS_PER_READ) {
        panic("TRACE_READ of core %u.%u, sequence %lu, returned %ld", core->cluster, core->core, sequence, (int64_t)records);
    }
    if (records > end - sequence) {
        records = end - sequence;
    }
    base64_encode(text, &r.x[1], records * TRACE_RECORD_BYTES);
    console_dump("DATA core=%u.%u first=%lu data=%s", core->cluster, core->core, sequence, text);
    return records;
}

bool dump_ring(const char *test, uint64_t iteration, uint32_t core_index, const struct measurement *measurement)
{
    const struct core *core = &cores[core_index];
    uint64_t first = measurement->first_sequence;
    uint64_t end = measurement->end_sequence;
    uint64_t oldest = oldest_sequence(core->mpidr);
    uint64_t lost = oldest > first ? oldest - first : 0;

    if (lost > end - first) {
        lost = end - first;
    }
    first += lost;
    console_dump("RING test=%s iteration=%lu core=%u.%u first=%lu records=%lu lost=%lu", test, iteration, core->cluster,
                 core->core, first, end - first, lost);
    while (first < end) {
        first += dump_records(core, first, end);
    }
    return lost == 0;
}

void dump_done(const char *test, uint64_t iteration)
{
    console_dump("DONE test=%s iteration=%lu", test, iteration);
}

void dump_end(uint64_t tests, uint64_t iterations, bool pass)
{
    console_dump("END tests=%lu iterations=%lu status=%s", tests, iterations, pass ? "pass" : "fail");
}
