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

static void print_dump(const char *format, ...)
{
    char line[DUMP_LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    if (!dump_line(line, sizeof(line), format, arguments)) {
        fprintf(stderr, "a dump line is longer than %d bytes; dump a board of fewer clusters\n", DUMP_LINE_SIZE);
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
    struct trace_record record;

    for (uint64_t sequence = measurement->first_sequence; sequence < measurement->end_sequence; sequence++) {
        trace_read(&host_cores[core].ring, sequence, &record, 1);
        for (unsigned i = 0; i < TRACE_PMF_EVENTS; i++) {
            ticks[i] = (uint16_t)record.event_arg == ids[i] ? record.time_ticks : ticks[i];
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
    const struct trace_ring *ring = &host_cores[core].ring;
    uint64_t first = measurement->first_sequence;
    uint64_t end = measurement->end_sequence;
    uint64_t oldest = trace_status(ring).oldest;
    uint64_t lost = oldest > first ? oldest - first : 0;

    first += lost;
    print_dump("RING test=%s iteration=%lu core=%u.%u first=%lu records=%lu lost=%lu", test->name, (unsigned long)iteration,
               machine_cluster(core), machine_core_in_cluster(core), (unsigned long)first, (unsigned long)(end - first),
               (unsigned long)lost);
    while (first < end) {
        struct trace_record records[RECORDS_A_LINE];
        char text[BASE64_SIZE(sizeof(records))];
        unsigned room = end - first < RECORDS_A_LINE ? (unsigned)(end - first) : RECORDS_A_LINE;
        int count = trace_read(ring, first, records, room);

        base64_encode(text, records, (size_t)count * sizeof(records[0]));
        print_dump("DATA core=%u.%u first=%lu data=%s", machine_cluster(core), machine_core_in_cluster(core), (unsigned long)first, text);
        first += (uint64_t)count;
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
