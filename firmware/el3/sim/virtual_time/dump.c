/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of docs/trace-format.md, and for sweeps a line a core with nothing but its spans. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base64.h"
#include "bench.h"
#include "dump_line.h"
#include "machine.h"

#define RECORDS_A_LINE 3U
#define TEXT_BYTES 4096U
#define LINE_BYTES (TEXT_BYTES + DUMP_LINE_SIZE) /* BOOT names every cluster */

static void print_dump(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    if (!dump_line(line, sizeof(line), format, arguments)) {
        fprintf(stderr, "a dump line is longer than %u bytes; dump a board of fewer clusters\n", LINE_BYTES);
        exit(2);
    }
    va_end(arguments);
    puts(line);
}

static void format_topology(const struct board *board, char *out, size_t size)
{
    size_t length = 0;

    for (unsigned cluster = 0; cluster < board->clusters && length < size; cluster++) {
        length += (size_t)snprintf(out + length, size - length, cluster == 0 ? "%u" : ",%u", board->cluster_cores[cluster]);
    }
}

void dump_boot(const struct board *board, uint64_t iterations)
{
    char topology[TEXT_BYTES];

    format_topology(board, topology, sizeof(topology));
    print_dump("BOOT events=%016lx clock_hz=1000000000 capture_mticks=%lu topology=%s lead=%u.%u iterations=%lu el=1 gic=3 firmware=%s",
               (unsigned long)TRACE_EVENTS_HASH, (unsigned long)board->capture_ns * 1000, topology, machine_cluster(board->lead),
               machine_core_in_cluster(board->lead), (unsigned long)iterations, LATLAB_BUILD);
}

static void print_figures(const struct bench_test *test, unsigned core, const struct bench_measurement *measurement)
{
    uint64_t ticks[TRACE_PMF_EVENTS] = { 0 };
    static const uint16_t ids[] = TRACE_PMF_EVENT_IDS;

    for (unsigned at = 0; at < measurement->count; at++) {
        const struct trace_record *record = &measurement->records[at];

        for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
            ticks[i] = (uint16_t)record->event_arg == ids[i] ? record->time_ticks : ticks[i];
        }
    }
    printf("<RT_INSTR:%s\t%u\t%u\t", test->name, machine_cluster(core), machine_core_in_cluster(core));
    if (test->power_state == 0) {
        printf("%llu/>\n", (unsigned long long)(ticks[1] - ticks[0]));
        return;
    }
    printf("%llu\t%llu\t%llu/>\n", (unsigned long long)(ticks[2] - ticks[0]), (unsigned long long)(ticks[1] - ticks[3]),
           (unsigned long long)(ticks[5] - ticks[4]));
}

static void print_ring(const struct bench_test *test, uint64_t iteration, unsigned core, const struct bench_measurement *measurement)
{
    print_dump("RING test=%s iteration=%lu core=%u.%u first=%lu records=%lu lost=%lu", test->name, (unsigned long)iteration,
               machine_cluster(core), machine_core_in_cluster(core), (unsigned long)measurement->first_sequence,
               (unsigned long)measurement->count, (unsigned long)measurement->lost);
    for (unsigned at = 0; at < measurement->count; at += RECORDS_A_LINE) {
        char text[BASE64_SIZE(RECORDS_A_LINE * sizeof(struct trace_record))];
        unsigned left = measurement->count - at;
        unsigned count = left < RECORDS_A_LINE ? left : RECORDS_A_LINE;

        base64_encode(text, &measurement->records[at], (size_t)count * sizeof(struct trace_record));
        print_dump("DATA core=%u.%u first=%lu data=%s", machine_cluster(core), machine_core_in_cluster(core),
                   (unsigned long)(measurement->first_sequence + at), text);
    }
}

void dump_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements)
{
    print_dump("TEST name=%s iteration=%lu lead=%u.%u", test->name, (unsigned long)iteration, machine_cluster(board->lead),
               machine_core_in_cluster(board->lead));
    for (unsigned core = 0; core < board->cores; core++) {
        print_figures(test, core, &measurements[core]);
        print_ring(test, iteration, core, &measurements[core]);
    }
    print_dump("DONE test=%s iteration=%lu", test->name, (unsigned long)iteration);
}

void dump_end(unsigned tests, uint64_t iterations)
{
    print_dump("END tests=%u iterations=%lu status=pass", tests, (unsigned long)iterations);
}

void spans_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements)
{
    (void)iteration;
    for (unsigned core = 0; core < board->cores; core++) {
        print_figures(test, core, &measurements[core]);
    }
}
