/* SPDX-License-Identifier: BSD-3-Clause */
/* latlab-tarmac: Tarmac in, the stream of docs/reference/probe-format.md out. On standard output, fields apart by tabs, what was read:
 * docs/reference/trace-sources.md says which. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "stop.h"
#include "tarmac_reader.h"

#define INPUTS_MAX 512U
#define USAGE "latlab-tarmac out=FILE [worlds=all] [bytes=N] [limit=N] TRACE...\n"
#define USAGE_STATUS 2
#define DATA_STATUS 3

struct reading {
    struct input input;
    struct tarmac_before before;
    struct tarmac_line line; /* the next, where `text` is not NULL */
    const char *text;
    size_t bytes;
    uint64_t time, serial; /* of its last line that had one */
};

static struct reading readings[INPUTS_MAX];
static uint32_t reading_count;

static void advance(struct reading *reading)
{
    reading->text = input_line(&reading->input, &reading->bytes);
    if (reading->text == NULL) {
        return;
    }
    tarmac_read(reading->text, reading->bytes, &reading->before, &reading->line);
    if (reading->line.has_time) {
        reading->time = reading->line.time;
    }
    if (reading->line.has_serial) {
        reading->serial = reading->line.serial;
    }
}

/* gem5 numbers the instructions of all cores together, also those of one tick. */
static bool is_before(const struct reading *a, const struct reading *b)
{
    return a->time < b->time || (a->time == b->time && a->serial < b->serial);
}

/* The one whose next line is the earliest; NULL where all are read. */
static struct reading *earliest(void)
{
    struct reading *first = NULL;

    for (uint32_t i = 0; i < reading_count; i++) {
        if (readings[i].text != NULL && (first == NULL || is_before(&readings[i], first))) {
            first = &readings[i];
        }
    }
    return first;
}

static void take(struct reading *reading)
{
    struct tarmac_place place = { .input = (uint32_t)(reading - readings), .line = reading->input.lines };

    tarmac_take(&reading->line, reading->text, reading->bytes, place, reading->input.is_last_cut);
    advance(reading);
}

static void read_all(void)
{
    struct reading *only = &readings[0];

    for (uint32_t i = 0; i < reading_count; i++) {
        advance(&readings[i]);
    }
    while (reading_count == 1 && only->text != NULL) {
        take(only);
    }
    for (struct reading *reading = earliest(); reading != NULL; reading = earliest()) {
        take(reading);
    }
}

/* A field is one line without tabs, whatever is in it. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        putchar(*text >= ' ' && *text < 0x7f ? *text : '?');
    }
}

static void print_inputs(void)
{
    for (uint32_t i = 0; i < reading_count; i++) {
        const struct input *input = &readings[i].input;

        printf("input\t%" PRIu64 "\t%" PRIu64 "\t%d\t", input->lines, input->bytes, input->has_failed || input->is_last_cut);
        print_text(input->error);
        putchar('\n');
    }
}

static void print_summary(const struct tarmac_summary *summary)
{
    printf("LLTARMAC\t1\n");
    printf("dialect\t%s\t%s\n", summary->name != NULL ? summary->name : "", summary->unit);
    printf("instructions\t%" PRIu64 "\n", summary->instructions);
    print_inputs();
    for (uint32_t i = 0; i < summary->cores; i++) {
        printf("core\t%" PRIu32 "\t", i);
        print_text(tarmac_core_name(i));
        putchar('\n');
    }
    for (uint32_t i = 0; i < summary->refusal_count; i++) {
        const struct tarmac_refusal *refusal = &summary->refusals[i];

        printf("refused\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%s\t", refusal->count, refusal->input, refusal->first_line, refusal->reason);
        print_text(refusal->text);
        putchar('\n');
    }
}

static int complain(const char *what, const char *which)
{
    fprintf(stderr, "latlab-tarmac: %s%s\n", which, what);
    return USAGE_STATUS;
}

static bool take_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

struct arguments {
    struct tarmac_options tarmac;
    uint64_t bytes; /* of each input */
};

/* True where it is an option that can be read, or no option; `is_trace` says which. */
static bool take_argument(const char *word, struct arguments *arguments, bool *is_trace)
{
    *is_trace = false;
    if (strncmp(word, "out=", 4) == 0) {
        arguments->tarmac.out_name = word + 4;
        return true;
    }
    if (strncmp(word, "bytes=", 6) == 0) {
        return take_number(word + 6, &arguments->bytes);
    }
    if (strncmp(word, "limit=", 6) == 0) {
        return take_number(word + 6, &arguments->tarmac.limit_bytes);
    }
    if (strcmp(word, "worlds=all") == 0) {
        arguments->tarmac.has_all_code = true;
        return true;
    }
    *is_trace = true;
    return reading_count < INPUTS_MAX;
}

int main(int count, char **words)
{
    struct arguments arguments = { .tarmac = { .limit_bytes = UINT64_MAX / 2 }, .bytes = UINT64_MAX };
    const struct tarmac_summary *summary;
    bool is_trace;

    for (int i = 1; i < count; i++) {
        if (!take_argument(words[i], &arguments, &is_trace)) {
            return complain(" cannot be read; " USAGE, words[i]);
        }
        if (is_trace) {
            readings[reading_count++].input.name = words[i];
        }
    }
    if (arguments.tarmac.out_name == NULL || reading_count == 0) {
        return complain(USAGE, "use ");
    }
    for (uint32_t i = 0; i < reading_count; i++) {
        if (!input_open(&readings[i].input, readings[i].input.name, arguments.bytes)) {
            return complain("", readings[i].input.error);
        }
    }
    arguments.tarmac.out = fopen(arguments.tarmac.out_name, "wb");
    if (arguments.tarmac.out == NULL) {
        return complain(" cannot be written", arguments.tarmac.out_name);
    }
    stop_on_signals();
    tarmac_start(&arguments.tarmac);
    read_all();
    summary = tarmac_finish();
    print_summary(summary);
    for (uint32_t i = 0; i < reading_count; i++) {
        input_close(&readings[i].input);
    }
    return summary->name != NULL ? 0 : DATA_STATUS;
}
