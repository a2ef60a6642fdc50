/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include "console.h"
#include "core.h"
#include "format.h"
#include "gic.h"
#include "llt1.h"
#include "panic.h"
#include "smc.h"
#include "trace_call.h"

static char line[LLT1_LINE_SIZE];

static void refuse(const char *format)
{
    panic("a dump line is longer than %u characters: %s", LLT1_LINE_SIZE, format);
}

/* Only the lead dumps. */
static const struct llt1_writer writer = { line, sizeof(line), console_write, refuse };

static struct llt1_core identity(const struct core *core)
{
    return (struct llt1_core){ core->cluster, core->core };
}

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
    llt1_boot(&writer, &(struct llt1_boot){
                           .events = r.x[1],
                           .clock_hz = r.x[2],
                           .capture_mticks = r.x[3],
                           .topology = topology,
                           .lead = identity(&cores[lead_index]),
                           .iterations = iterations,
                           .exception_level = current_el(),
                           .gic = gic_version(),
                           .firmware = build,
                       });
}

void dump_test(const char *test, uint64_t iteration)
{
    llt1_test(&writer, test, iteration, identity(&cores[lead_index]));
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

    if (records == 0 || records > TRACE_RECORDS_PER_READ) {
        panic("TRACE_READ of core %u.%u, sequence %lu, returned %ld", core->cluster, core->core, sequence, (int64_t)records);
    }
    if (records > end - sequence) {
        records = end - sequence;
    }
    llt1_data(&writer, identity(core), sequence, &r.x[1], records);
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
    llt1_ring(&writer, &(struct llt1_ring){
                           .test = test,
                           .iteration = iteration,
                           .core = identity(core),
                           .first = first,
                           .records = end - first,
                           .lost = lost,
                       });
    while (first < end) {
        first += dump_records(core, first, end);
    }
    return lost == 0;
}

void dump_done(const char *test, uint64_t iteration)
{
    llt1_done(&writer, test, iteration);
}

void dump_end(uint64_t tests, uint64_t iterations, bool pass)
{
    llt1_end(&writer, tests, iterations, pass);
}
