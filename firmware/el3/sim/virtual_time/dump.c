/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of docs/reference/trace-format.md, and for sweeps one line per core with nothing but its spans. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "llt1.h"
#include "machine.h"

#define TEXT_BYTES 4096U
#define LINE_BYTES (TEXT_BYTES + LLT1_LINE_SIZE) /* BOOT names every cluster */

static char line[LINE_BYTES];

static void write_line(const char *text)
{
    puts(text);
}

static void refuse(const char *format)
{
    (void)format;
    fprintf(stderr, "a dump line is longer than %u bytes; dump a board of fewer clusters\n", LINE_BYTES);
    exit(2);
}

static const struct llt1_writer writer = { line, sizeof(line), write_line, refuse };

static struct llt1_core identity(unsigned core)
{
    return (struct llt1_core){ machine_cluster(core), machine_core_in_cluster(core) };
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
    llt1_boot(&writer, &(struct llt1_boot){
                           .events = TRACE_EVENTS_HASH,
                           .clock_hz = 1000000000,
                           .capture_mticks = board->capture_ns * 1000ULL,
                           .topology = topology,
                           .lead = identity(board->lead),
                           .iterations = iterations,
                           .exception_level = 1,
                           .gic = 3,
                           .firmware = LATLAB_BUILD,
                       });
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
    llt1_ring(&writer, &(struct llt1_ring){
                           .test = test->name,
                           .iteration = iteration,
                           .core = identity(core),
                           .first = measurement->first_sequence,
                           .records = measurement->count,
                           .lost = measurement->lost,
                       });
    for (unsigned at = 0; at < measurement->count; at += LLT1_RECORDS_PER_LINE) {
        unsigned left = measurement->count - at;
        unsigned count = left < LLT1_RECORDS_PER_LINE ? left : LLT1_RECORDS_PER_LINE;

        llt1_data(&writer, identity(core), measurement->first_sequence + at, &measurement->records[at], count);
    }
}

void dump_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements)
{
    llt1_test(&writer, test->name, iteration, identity(board->lead));
    for (unsigned core = 0; core < board->cores; core++) {
        print_figures(test, core, &measurements[core]);
        print_ring(test, iteration, core, &measurements[core]);
    }
    llt1_done(&writer, test->name, iteration);
}

void dump_end(unsigned tests, uint64_t iterations)
{
    llt1_end(&writer, tests, iterations, true);
}

void spans_iteration(const struct board *board, const struct bench_test *test, uint64_t iteration, const struct bench_measurement *measurements)
{
    (void)iteration;
    for (unsigned core = 0; core < board->cores; core++) {
        print_figures(test, core, &measurements[core]);
    }
}
