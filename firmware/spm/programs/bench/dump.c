/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include "format.h"
#include "llt1.h"
#include "ns.h"

#define TEXT_BYTES (512U * 1024U)
#define NAME_BYTES 40U

static char text[TEXT_BYTES];
static uint32_t text_bytes;
static char line[LLT1_LINE_SIZE];

static void store(char character)
{
    if (text_bytes == TEXT_BYTES - 1U) {
        dump_flush();
    }
    text[text_bytes++] = character;
}

static void store_line(const char *characters)
{
    while (*characters != '\0') {
        store(*characters++);
    }
    store('\n');
}

static void refuse(const char *format)
{
    ns_print("bench: a dump line is too long: ");
    ns_print(format);
    ns_print("\n");
    ns_stop(1);
}

static const struct llt1_writer writer = { line, sizeof(line), store_line, refuse };
static const struct llt1_core only_core = { 0, 0 };

void dump_flush(void)
{
    text[text_bytes] = '\0';
    text_bytes = 0;
    ns_print(text);
}

/* An M-profile core has no exception levels and no GIC: both are 0. */
void dump_boot(uint32_t iterations, uint32_t capture_mticks)
{
    llt1_boot(&writer, &(struct llt1_boot){
                           .events = TRACE_EVENTS_HASH,
                           .clock_hz = TIMER_HZ,
                           .capture_mticks = capture_mticks,
                           .topology = "1",
                           .lead = only_core,
                           .iterations = iterations,
                           .firmware = BENCH_FIRMWARE,
                       });
}

static void dump_records(const struct trace_record *records, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i += LLT1_RECORDS_PER_LINE) {
        uint32_t left = count - i;
        uint32_t here = left < LLT1_RECORDS_PER_LINE ? left : LLT1_RECORDS_PER_LINE;

        llt1_data(&writer, only_core, first + i, &records[i], here);
    }
}

void dump_iteration(const char *world, const char *test, uint32_t iteration, const struct trace_record *records, uint32_t count,
                    uint32_t first, uint32_t lost)
{
    char name[NAME_BYTES];

    format_text(name, sizeof(name), "%s%s", world, test);
    llt1_test(&writer, name, iteration, only_core);
    llt1_ring(&writer, &(struct llt1_ring){
                           .test = name, .iteration = iteration, .core = only_core, .first = first, .records = count, .lost = lost,
                       });
    dump_records(records, count, first);
    llt1_done(&writer, name, iteration);
}

void dump_end(uint32_t tests, uint32_t iterations, bool pass)
{
    llt1_end(&writer, tests, iterations, pass);
}
