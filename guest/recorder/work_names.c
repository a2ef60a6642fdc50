/* SPDX-License-Identifier: BSD-3-Clause */
#include "work_names.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define STARTS "workqueue/workqueue_execute_start"
#define FUNCTION_FIELD "field:void * function;\toffset:%" SCNu32

/* A record of this tracepoint brings no counters: its time, its size, its bytes. */
struct work_record {
    struct perf_event_header header;
    uint64_t time_ns;
    uint32_t bytes;
    uint16_t id;
};

void work_names_open(struct work_names *self, const struct tracepoints *tracepoints)
{
    memset(self, 0, sizeof(*self));
    for (unsigned i = 0; i < tracepoints->count; i++) {
        const struct tracepoint *point = &tracepoints->points[i];
        const char *field = strcmp(point->name, STARTS) == 0 ? strstr(point->format, "field:void * function;") : NULL;

        if (field != NULL && sscanf(field, FUNCTION_FIELD, &self->function_at) == 1) {
            self->id = point->id;
        }
    }
}

static bool is_known(const struct work_names *self, uint64_t function)
{
    for (unsigned i = 0; i < self->count; i++) {
        if (self->functions[i] == function) {
            return true;
        }
    }
    return false;
}

static void note_one(struct work_names *self, const char *record, uint32_t bytes)
{
    size_t at = offsetof(struct work_record, id) + self->function_at;
    struct work_record work;
    uint64_t function;

    if (bytes < sizeof(work) || bytes < at + sizeof(function)) {
        return;
    }
    memcpy(&work, record, sizeof(work));
    memcpy(&function, record + at, sizeof(function));
    if (work.header.type == PERF_RECORD_SAMPLE && work.id == self->id && self->count < WORK_NAMES_MOST && !is_known(self, function)) {
        self->functions[self->count++] = function;
    }
}

void work_names_note(struct work_names *self, const char *records, uint32_t bytes)
{
    uint32_t at = 0;

    while (self->id != 0 && bytes - at >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;

        memcpy(&header, records + at, sizeof(header));
        if (header.size < sizeof(header) || header.size > bytes - at) {
            return;
        }
        note_one(self, records + at, header.size);
        at += header.size;
    }
}

void work_names_write(const struct work_names *self, FILE *symbols, FILE *out)
{
    char line[512], name[256];
    uint64_t address;

    while (self->count != 0 && fgets(line, sizeof(line), symbols) != NULL) {
        if (sscanf(line, "%" SCNx64 " %*c %255s", &address, name) == 2 && is_known(self, address)) {
            fprintf(out, "%" PRIx64 " %s\n", address, name);
        }
    }
}
