/* SPDX-License-Identifier: BSD-3-Clause */
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "harness.h"
#include "work_names.h"

#define STARTS_ID 41U
#define EFI 0xffff800008800010ULL
#define OTHER 0xffff800008800020ULL

struct record {
    struct perf_event_header header;
    uint64_t time_ns;
    uint32_t bytes;
    uint16_t id;
    unsigned char rest[22]; /* of the tracepoint's own record, which has the function at 16 */
};

static struct tracepoints tracepoints;
static struct work_names names;

static struct record record_of(uint16_t id, uint64_t function)
{
    struct record record = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) }, .bytes = 24, .id = id };

    memcpy((char *)&record + offsetof(struct record, id) + 16, &function, sizeof(function));
    return record;
}

static void start(void)
{
    struct tracepoint *point = &tracepoints.points[0];

    tracepoints.count = 1;
    point->name = "workqueue/workqueue_execute_start";
    point->id = STARTS_ID;
    strcpy(point->format, "\tfield:void * work;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n");
    work_names_open(&names, &tracepoints);
}

static const char *written(void)
{
    static char symbols[] = "ffff800008800000 T _stext\nffff800008800010 t efi_call_rts\nffff800008800020 t vmstat_update\t[mm]\n";
    static char text[256];
    FILE *in = fmemopen(symbols, strlen(symbols), "r");
    FILE *out = fmemopen(text, sizeof(text), "w");

    work_names_write(&names, in, out);
    fclose(in);
    fclose(out);
    return text;
}

TEST(each_function_that_a_work_queue_ran_is_named_once)
{
    struct record records[] = { record_of(STARTS_ID, EFI), record_of(STARTS_ID + 1, OTHER), record_of(STARTS_ID, EFI) };

    start();
    work_names_note(&names, (const char *)records, sizeof(records));
    CHECK(names.count == 1);
    CHECK(strcmp(written(), "ffff800008800010 efi_call_rts\n") == 0);
}

TEST(a_module_that_follows_a_name_is_no_part_of_it)
{
    struct record record = record_of(STARTS_ID, OTHER);

    start();
    work_names_note(&names, (const char *)&record, sizeof(record));
    CHECK(strcmp(written(), "ffff800008800020 vmstat_update\n") == 0);
}

TEST(records_that_are_cut_off_or_of_no_size_end_the_walk)
{
    struct record record = record_of(STARTS_ID, EFI);

    start();
    work_names_note(&names, (const char *)&record, sizeof(record) - 1);
    record.header.size = 0;
    work_names_note(&names, (const char *)&record, sizeof(record));
    CHECK(names.count == 0);
}

TEST(more_functions_than_there_is_room_for_stay_without_a_name)
{
    start();
    for (unsigned i = 0; i <= WORK_NAMES_MOST; i++) {
        struct record record = record_of(STARTS_ID, EFI + i);

        work_names_note(&names, (const char *)&record, sizeof(record));
    }
    CHECK(names.count == WORK_NAMES_MOST);
}

TEST(a_kernel_without_this_tracepoint_names_nothing)
{
    struct record record = record_of(0, EFI);

    tracepoints.count = 0;
    work_names_open(&names, &tracepoints);
    work_names_note(&names, (const char *)&record, sizeof(record));
    CHECK(names.count == 0);
}
