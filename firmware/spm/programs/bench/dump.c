/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include "frame.h"

#define RECORDS_A_LINE 3U
#define CORE           "0.0"

static void put_name(const char *key, const char *world, const char *test)
{
    char name[40];
    uint32_t length = 0;

    while (*world != '\0' && length < sizeof(name) - 1U) {
        name[length++] = *world++;
    }
    while (*test != '\0' && length < sizeof(name) - 1U) {
        name[length++] = *test++;
    }
    name[length] = '\0';
    frame_text(key, name);
}

/* An M-profile core has no exception levels and no GIC: both are 0. */
void dump_boot(uint32_t iterations, uint32_t capture_mticks)
{
    frame_begin("BOOT");
    frame_hex64("events", TRACE_EVENTS_HASH);
    frame_number("clock_hz", 20000000U);
    frame_number("capture_mticks", capture_mticks);
    frame_text("topology", "1");
    frame_text("lead", CORE);
    frame_number("iterations", iterations);
    frame_number("el", 0);
    frame_number("gic", 0);
    frame_text("firmware", BENCH_FIRMWARE);
    frame_end();
}

void dump_iteration(const char *world, const char *test, uint32_t iteration, const struct trace_record *records, uint32_t count,
                    uint32_t first, uint32_t lost)
{
    frame_begin("TEST");
    put_name("name", world, test);
    frame_number("iteration", iteration);
    frame_text("lead", CORE);
    frame_end();
    frame_begin("RING");
    put_name("test", world, test);
    frame_number("iteration", iteration);
    frame_text("core", CORE);
    frame_number("first", first);
    frame_number("records", count);
    frame_number("lost", lost);
    frame_end();
    for (uint32_t i = 0; i < count; i += RECORDS_A_LINE) {
        uint32_t here = count - i < RECORDS_A_LINE ? count - i : RECORDS_A_LINE;

        frame_begin("DATA");
        frame_text("core", CORE);
        frame_number("first", first + i);
        frame_bytes("data", &records[i], here * sizeof(records[0]));
        frame_end();
    }
    frame_begin("DONE");
    put_name("test", world, test);
    frame_number("iteration", iteration);
    frame_end();
}

void dump_end(uint32_t tests, uint32_t iterations, bool pass)
{
    frame_begin("END");
    frame_number("tests", tests);
    frame_number("iterations", iterations);
    frame_text("status", pass ? "pass" : "fail");
    frame_end();
}
