/* SPDX-License-Identifier: BSD-3-Clause */
/* latlab-coresight: snapshot folders of CoreSight trace in, the stream of docs/reference/probe-format.md out. On standard output, fields apart
 * by tabs, what was read: docs/reference/trace-sources.md says which. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoders.h"
#include "memory.h"
#include "snapshot.h"
#include "stop.h"
#include "writer.h"

#define SNAPSHOTS_MAX 64U
#define BLOCK_BYTES (1U << 20)
#define FRAME_BYTES 16U
#define PATH_BYTES 4096U
#define PROBLEMS_MAX 64U
#define USAGE "latlab-coresight out=FILE [worlds=all] [bytes=N] [limit=N] SNAPSHOT...\n"
#define USAGE_STATUS 2
#define DATA_STATUS 3

struct arguments {
    const char *out_name;
    uint64_t bytes, limit_bytes; /* of each buffer, of the output */
    bool has_all_code;
};

/* What a buffer was, for the summary. */
struct input {
    uint64_t bytes;
    char error[DECODER_ERROR];
};

static const char *folders[SNAPSHOTS_MAX];
static uint32_t folder_count;
static struct input inputs[TRACE_CORES_MAX];
static uint32_t input_count;
static char core_names[TRACE_CORES_MAX][2 * SNAPSHOT_TEXT + 4];
static char problems[PROBLEMS_MAX][DECODER_ERROR];
static uint32_t problem_count, core_count;
static struct element_counts total;
static uint64_t timestamps;
static struct decoder_tree tree;

static void add_problem(const char *text)
{
    if (problem_count < PROBLEMS_MAX) {
        snprintf(problems[problem_count++], sizeof(problems[0]), "%s", text);
    }
}

/* What the sources of a snapshot have in common, before any of its trace is read. */
struct common {
    bool has_clock, has_secure;
    uint32_t sources;
};

static void look_at(const struct snapshot *snapshot, struct common *common)
{
    for (uint32_t i = 0; i < snapshot->link_count; i++) {
        const struct device *source = snapshot_device(snapshot, snapshot->links[i].source);

        if (source != NULL && decoders_protocol(source) != PROTOCOL_NONE) {
            common->sources++;
            common->has_clock |= decoders_has_clock(source);
            common->has_secure |= !decoders_has_no_secure(source);
        }
    }
}

static void add_source(const struct snapshot *snapshot, const struct trace_link *link, const char *names[TRACE_IDS])
{
    const struct device *source = snapshot_device(snapshot, link->source), *core = snapshot_device(snapshot, link->core);
    char text[DECODER_ERROR];
    uint8_t id;

    if (link->core[0] == '\0') { /* software trace, of no core */
        return;
    }
    if (source == NULL || core == NULL) {
        snprintf(text, sizeof(text), "%.200s has no description", source == NULL ? link->source : link->core);
        add_problem(text);
        return;
    }
    if (decoders_protocol(source) == PROTOCOL_NONE) {
        snprintf(text, sizeof(text), "%.200s is a %.200s, which has no decoder", source->name, source->type);
        add_problem(text);
        return;
    }
    if (!decoders_add(&tree, source, core, core_count, &id)) {
        add_problem(tree.error);
        return;
    }
    core_count++;
    names[id] = core->name;
}

static void decode(uint8_t *bytes, uint64_t count, bool is_framed, struct input *input)
{
    uint64_t whole = is_framed ? count - count % FRAME_BYTES : count;

    for (uint64_t done = 0; done < whole; done += BLOCK_BYTES) {
        uint64_t block = whole - done < BLOCK_BYTES ? whole - done : BLOCK_BYTES;

        if (stop_is_asked()) {
            snprintf(input->error, sizeof(input->error), "was not read to its end");
            return;
        }
        input->bytes = done + block;
        if (!decoders_feed(&tree, bytes + done, (uint32_t)block)) {
            snprintf(input->error, sizeof(input->error), "%s", tree.error);
            return;
        }
        /* Of a long trace only one block is in memory. */
        madvise(bytes + done, block, MADV_DONTNEED);
    }
    if (whole < count) {
        snprintf(input->error, sizeof(input->error), "ends inside a frame");
    }
}

static void read_bytes(const char *path, uint64_t limit, bool is_framed, struct input *input)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes;

    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
        snprintf(input->error, sizeof(input->error), "%.400s cannot be read or is empty", path);
        if (file >= 0) {
            close(file);
        }
        return;
    }
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) {
        snprintf(input->error, sizeof(input->error), "%.400s cannot be read", path);
        return;
    }
    decode(bytes, (uint64_t)status.st_size < limit ? (uint64_t)status.st_size : limit, is_framed, input);
    munmap(bytes, (size_t)status.st_size);
}

static void sum(const char *names[TRACE_IDS])
{
    timestamps += tree.timestamps;
    for (uint32_t i = 0; i < TRACE_IDS; i++) {
        const struct element_stream *stream = &tree.streams[i];

        if (!stream->is_used) {
            continue;
        }
        if (total.no_memory == 0) {
            total.first_no_memory = stream->counts.first_no_memory;
            total.first_place = stream->counts.first_place;
        }
        total.instructions += stream->counts.instructions;
        total.ranges += stream->counts.ranges;
        total.no_memory += stream->counts.no_memory;
        if (stream->core != NULL) {
            snprintf(core_names[writer_core_number(stream->core)], sizeof(core_names[0]), "%s", names[i]);
        }
    }
}

static void read_buffer(const struct snapshot *snapshot, const struct trace_buffer *buffer, uint64_t limit)
{
    const char *names[TRACE_IDS] = { NULL };
    struct input *input;
    const char *reason;
    char path[SNAPSHOT_PATH];

    if (input_count == TRACE_CORES_MAX) {
        return;
    }
    if (!decoders_open(&tree, buffer->format)) {
        add_problem(tree.error);
        return;
    }
    for (uint32_t i = 0; i < snapshot->link_count; i++) {
        if (strcmp(snapshot->links[i].buffer, buffer->name) == 0) {
            add_source(snapshot, &snapshot->links[i], names);
        }
    }
    if (tree.sources != 0 && !decoders_start(&tree)) {
        add_problem(tree.error);
    } else if (tree.sources != 0) {
        input = &inputs[input_count++];
        if (snapshot_path(snapshot, buffer->file, path, &reason)) {
            read_bytes(path, limit, strcasecmp(buffer->format, "coresight") == 0, input);
        } else {
            snprintf(input->error, sizeof(input->error), "%.250s/%.150s %s", snapshot->folder, buffer->file, reason);
        }
    }
    decoders_close(&tree);
    sum(names);
}

static void note_memory(const struct snapshot *snapshot)
{
    char text[DECODER_ERROR];

    if (snapshot->memory_errors == 0) {
        return;
    }
    snprintf(text, sizeof(text), "%" PRIu32 " memory images cannot be used, the first: %.400s", snapshot->memory_errors, snapshot->memory_error);
    add_problem(text);
}

static bool read_snapshot(const char *folder, uint64_t limit)
{
    struct snapshot snapshot;
    bool is_read = snapshot_read(&snapshot, folder);

    if (is_read) {
        note_memory(&snapshot);
        for (uint32_t i = 0; i < snapshot.buffer_count; i++) {
            read_buffer(&snapshot, &snapshot.buffers[i], limit);
        }
    } else {
        add_problem(snapshot.error);
    }
    snapshot_release(&snapshot);
    memory_release();
    return is_read;
}

/* A field is one line without tabs, whatever is in it. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        putchar(*text >= ' ' && *text < 0x7f ? *text : '?');
    }
}

static void print_field(const char *key, const char *text)
{
    printf("%s\t", key);
    print_text(text);
    putchar('\n');
}

static void print_summary(bool has_clock)
{
    printf("LLCORESIGHT\t1\n");
    printf("dialect\tCoreSight\t%s\n", has_clock ? "cycles" : "");
    printf("instructions\t%" PRIu64 "\n", total.instructions);
    printf("ranges\t%" PRIu64 "\n", total.ranges);
    printf("timestamps\t%" PRIu64 "\n", timestamps);
    for (uint32_t i = 0; i < input_count; i++) {
        printf("input\t0\t%" PRIu64 "\t%d\t", inputs[i].bytes, inputs[i].error[0] != '\0');
        print_text(inputs[i].error);
        putchar('\n');
    }
    for (uint32_t i = 0; i < TRACE_CORES_MAX && core_names[i][0] != '\0'; i++) {
        printf("core\t%" PRIu32 "\t", i);
        print_text(core_names[i]);
        putchar('\n');
    }
    if (total.instructions == 0 && total.no_memory != 0) {
        printf("refused\t%" PRIu64 "\t0\t%" PRIu64 "\tthe code at the address is in no image\t%#" PRIx64 "\n", total.no_memory,
               total.first_place, total.first_no_memory);
    }
    for (uint32_t i = 0; i < problem_count; i++) {
        print_field("problem", problems[i]);
    }
}

static int complain(const char *what, const char *which)
{
    fprintf(stderr, "latlab-coresight: %s%s\n", which, what);
    return USAGE_STATUS;
}

static bool take_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

static bool take_argument(const char *word, struct arguments *arguments)
{
    if (strncmp(word, "out=", 4) == 0) {
        arguments->out_name = word + 4;
        return true;
    }
    if (strncmp(word, "bytes=", 6) == 0) {
        return take_number(word + 6, &arguments->bytes);
    }
    if (strncmp(word, "limit=", 6) == 0) {
        return take_number(word + 6, &arguments->limit_bytes);
    }
    if (strcmp(word, "worlds=all") == 0) {
        arguments->has_all_code = true;
        return true;
    }
    if (folder_count == SNAPSHOTS_MAX) {
        return false;
    }
    folders[folder_count++] = word;
    return true;
}

/* False where a folder is no snapshot. */
static bool look_at_all(struct common *common)
{
    for (uint32_t i = 0; i < folder_count; i++) {
        struct snapshot snapshot;
        bool is_read = snapshot_read(&snapshot, folders[i]);

        if (is_read) {
            look_at(&snapshot, common);
        } else {
            complain("", snapshot.error);
        }
        snapshot_release(&snapshot);
        memory_release();
        if (!is_read) {
            return false;
        }
    }
    return true;
}

int main(int count, char **words)
{
    struct arguments arguments = { .bytes = UINT64_MAX, .limit_bytes = UINT64_MAX / 2 };
    struct trace_source source = { .name = "CoreSight", .unit = "", .arch = ARCH_AARCH64 };
    struct common common = { .has_clock = false };
    FILE *out;

    for (int i = 1; i < count; i++) {
        if (!take_argument(words[i], &arguments)) {
            return complain(" cannot be read; " USAGE, words[i]);
        }
    }
    if (arguments.out_name == NULL || folder_count == 0) {
        return complain(USAGE, "use ");
    }
    if (!look_at_all(&common)) {
        return USAGE_STATUS;
    }
    out = fopen(arguments.out_name, "wb");
    if (out == NULL) {
        return complain(" cannot be written", arguments.out_name);
    }
    source.unit = common.has_clock ? "cycles" : "";
    source.unknown = SOURCE_NO_REGISTERS | (common.has_clock ? 0 : SOURCE_NO_TIME) | (common.has_secure ? 0 : SOURCE_NO_SECURE);
    source.has_all_code = arguments.has_all_code;
    stop_on_signals();
    writer_open(out, arguments.out_name, arguments.limit_bytes, &source);
    for (uint32_t i = 0; i < folder_count; i++) {
        read_snapshot(folders[i], arguments.bytes);
    }
    writer_close();
    print_summary(common.has_clock);
    return total.instructions != 0 ? 0 : DATA_STATUS;
}
