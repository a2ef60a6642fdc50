/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "memory.h"

#define LINE_MAX_BYTES 4096U
#define FILES_MAX 1024U

static const char *const REGISTER_NAMES[SOURCE_REGISTERS] = {
    "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0",  "TRCIDR1",    "TRCIDR2",       "TRCIDR8", "TRCIDR9",     "TRCIDR10", "TRCIDR11",
    "TRCIDR12",   "TRCIDR13",    "TRCDEVARCH", "TRCAUTHSTATUS", "ETMCR",      "ETMTRACEIDR", "ETMIDR",   "ETMCCER",
};

static const struct {
    const char *name;
    uint32_t space;
} SPACES[] = {
    { "EL1S", SPACE_EL1_SECURE }, { "EL1N", SPACE_EL1 },       { "EL1R", SPACE_EL1_REALM },  { "EL2S", SPACE_EL2_SECURE },
    { "EL2", SPACE_EL2 },         { "EL2N", SPACE_EL2 },       { "EL2R", SPACE_EL2_REALM },  { "EL3", SPACE_EL3 | SPACE_ROOT },
    { "ROOT", SPACE_ROOT },       { "S", SPACE_SECURE },       { "N", SPACE_NON_SECURE },    { "R", SPACE_REALM },
    { "H", SPACE_EL2 },           { "P", SPACE_EL1 },          { "NP", SPACE_EL1 },          { "SP", SPACE_EL1_SECURE },
};

/* One region of memory as a device says it. */
struct dump {
    char file[SNAPSHOT_TEXT];
    uint64_t address, length, offset;
    uint32_t space;
};

struct names {
    char (*texts)[SNAPSHOT_TEXT];
    uint32_t count;
};

/* What reads one file: called for each key of each section, with an empty key where a section begins. */
typedef void (*take_key)(void *context, const char *section, const char *key, const char *value);

static void copy(char to[SNAPSHOT_TEXT], const char *text)
{
    snprintf(to, SNAPSHOT_TEXT, "%s", text);
}

static char *trimmed(char *text)
{
    char *end = text + strlen(text);

    while (*text == ' ' || *text == '\t') {
        text++;
    }
    while (end > text && strchr(" \t\r\n", end[-1]) != NULL) {
        *--end = '\0';
    }
    return text;
}

static void take_line(char *line, char section[SNAPSHOT_TEXT], take_key take, void *context)
{
    char *text = trimmed(line), *equals, *end;

    if (*text == '[' && (end = strchr(text, ']')) != NULL) {
        *end = '\0';
        copy(section, trimmed(text + 1));
        take(context, section, "", "");
        return;
    }
    equals = strchr(text, '=');
    if (*text == ';' || *text == '#' || equals == NULL) {
        return;
    }
    *equals = '\0';
    take(context, section, trimmed(text), trimmed(equals + 1));
}

bool snapshot_path(const struct snapshot *snapshot, const char *name, char path[SNAPSHOT_PATH], const char **reason)
{
    char joined[SNAPSHOT_PATH], folder[PATH_MAX];
    struct stat status;
    size_t bytes;

    _Static_assert(SNAPSHOT_PATH >= PATH_MAX, "realpath writes as much");
    snprintf(joined, sizeof(joined), "%s/%s", snapshot->folder, name);
    *reason = "cannot be opened";
    if (realpath(snapshot->folder, folder) == NULL || realpath(joined, path) == NULL || stat(path, &status) != 0) {
        return false;
    }
    bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    *reason = "is outside of the snapshot";
    if (strncmp(path, folder, bytes) != 0 || path[bytes] != '/') {
        return false;
    }
    *reason = "is empty or no file";
    return S_ISREG(status.st_mode);
}

static bool read_file(struct snapshot *snapshot, const char *name, take_key take, void *context)
{
    char path[SNAPSHOT_PATH], line[LINE_MAX_BYTES], section[SNAPSHOT_TEXT] = "";
    const char *reason;
    FILE *file;

    file = snapshot_path(snapshot, name, path, &reason) ? fopen(path, "r") : NULL;
    if (file == NULL) {
        snprintf(snapshot->error, sizeof(snapshot->error), "%.250s/%.150s %s", snapshot->folder, name, reason);
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        take_line(line, section, take, context);
    }
    fclose(file);
    return true;
}

static void *grown(void *items, uint32_t count, size_t bytes)
{
    char *larger = realloc(items, ((size_t)count + 1) * bytes);

    if (larger == NULL) {
        abort();
    }
    memset(larger + count * bytes, 0, bytes);
    return larger;
}

static void append_name(struct names *names, const char *text)
{
    if (names->count < FILES_MAX) {
        names->texts = grown(names->texts, names->count, sizeof(*names->texts));
        copy(names->texts[names->count++], text);
    }
}

struct index {
    struct names devices;
    char trace[SNAPSHOT_TEXT];
};

static void take_index(void *context, const char *section, const char *key, const char *value)
{
    struct index *index = context;

    if (*key != '\0' && strcasecmp(section, "device_list") == 0) {
        append_name(&index->devices, value);
    } else if (strcasecmp(section, "trace") == 0 && strcasecmp(key, "metadata") == 0) {
        copy(index->trace, value);
    }
}

struct device_reading {
    struct snapshot *snapshot;
    struct device *device;
    struct dump dump;
};

static void note_memory(struct snapshot *snapshot, const char *name, const char *reason)
{
    if (snapshot->memory_errors++ == 0) {
        snprintf(snapshot->memory_error, sizeof(snapshot->memory_error), "%s %s", name, reason);
    }
}

static void finish_dump(struct device_reading *reading)
{
    char path[SNAPSHOT_PATH];
    const char *reason = "";
    const struct dump *dump = &reading->dump;

    if (dump->file[0] != '\0') {
        if (!snapshot_path(reading->snapshot, dump->file, path, &reason) ||
            !memory_add(path, dump->address, dump->offset, dump->length, dump->space, &reason)) {
            note_memory(reading->snapshot, dump->file, reason);
        }
    }
    reading->dump = (struct dump) { .space = SPACE_ANY };
}

static uint32_t space_named(const char *name)
{
    for (size_t i = 0; i < sizeof(SPACES) / sizeof(SPACES[0]); i++) {
        if (strcasecmp(SPACES[i].name, name) == 0) {
            return SPACES[i].space;
        }
    }
    return SPACE_ANY;
}

static void take_dump(struct dump *dump, const char *key, const char *value)
{
    if (strcasecmp(key, "file") == 0) {
        copy(dump->file, value);
    } else if (strcasecmp(key, "address") == 0) {
        dump->address = strtoull(value, NULL, 0);
    } else if (strcasecmp(key, "length") == 0) {
        dump->length = strtoull(value, NULL, 0);
    } else if (strcasecmp(key, "offset") == 0) {
        dump->offset = strtoull(value, NULL, 0);
    } else if (strcasecmp(key, "space") == 0) {
        dump->space = space_named(value);
    }
}

/* Behind the name of a register is often its number or its size, in parentheses. */
static void take_register(struct device *device, const char *key, const char *value)
{
    size_t bytes = strcspn(key, "( ");

    for (uint32_t i = 0; i < SOURCE_REGISTERS; i++) {
        if (strlen(REGISTER_NAMES[i]) == bytes && strncasecmp(REGISTER_NAMES[i], key, bytes) == 0) {
            device->registers[i] = (uint32_t)strtoul(value, NULL, 0);
            device->has_registers |= 1U << i;
        }
    }
}

static void take_device(void *context, const char *section, const char *key, const char *value)
{
    struct device_reading *reading = context;

    if (*key == '\0') {
        finish_dump(reading);
    } else if (strcasecmp(section, "regs") == 0) {
        take_register(reading->device, key, value);
    } else if (strncasecmp(section, "dump", 4) == 0) {
        take_dump(&reading->dump, key, value);
    } else if (strcasecmp(section, "device") == 0 && strcasecmp(key, "name") == 0) {
        copy(reading->device->name, value);
    } else if (strcasecmp(section, "device") == 0 && strcasecmp(key, "class") == 0) {
        copy(reading->device->class_name, value);
    } else if (strcasecmp(section, "device") == 0 && strcasecmp(key, "type") == 0) {
        copy(reading->device->type, value);
    }
}

static bool read_device(struct snapshot *snapshot, const char *name)
{
    struct device_reading reading = { .snapshot = snapshot, .dump = { .space = SPACE_ANY } };

    snapshot->devices = grown(snapshot->devices, snapshot->device_count, sizeof(*snapshot->devices));
    reading.device = &snapshot->devices[snapshot->device_count++];
    if (!read_file(snapshot, name, take_device, &reading)) {
        return false;
    }
    finish_dump(&reading);
    return true;
}

static struct trace_link *link_of(struct snapshot *snapshot, const char *source)
{
    struct trace_link *link;

    for (uint32_t i = 0; i < snapshot->link_count; i++) {
        if (strcmp(snapshot->links[i].source, source) == 0) {
            return &snapshot->links[i];
        }
    }
    snapshot->links = grown(snapshot->links, snapshot->link_count, sizeof(*snapshot->links));
    link = &snapshot->links[snapshot->link_count++];
    copy(link->source, source);
    return link;
}

static void append_buffers(struct snapshot *snapshot, const char *value)
{
    char text[LINE_MAX_BYTES], *rest = text;

    snprintf(text, sizeof(text), "%s", value);
    for (char *id = strsep(&rest, ","); id != NULL; id = strsep(&rest, ",")) {
        snapshot->buffers = grown(snapshot->buffers, snapshot->buffer_count, sizeof(*snapshot->buffers));
        copy(snapshot->buffers[snapshot->buffer_count++].id, trimmed(id));
    }
}

static void take_buffer(struct trace_buffer *buffer, const char *key, const char *value)
{
    if (strcasecmp(key, "name") == 0) {
        copy(buffer->name, value);
    } else if (strcasecmp(key, "file") == 0) {
        copy(buffer->file, value);
    } else if (strcasecmp(key, "format") == 0) {
        copy(buffer->format, value);
    }
}

static void take_trace(void *context, const char *section, const char *key, const char *value)
{
    struct snapshot *snapshot = context;

    if (*key == '\0') {
        return;
    }
    if (strcasecmp(section, "trace_buffers") == 0 && strcasecmp(key, "buffers") == 0) {
        append_buffers(snapshot, value);
    } else if (strcasecmp(section, "source_buffers") == 0) {
        copy(link_of(snapshot, key)->buffer, value);
    } else if (strcasecmp(section, "core_trace_sources") == 0) {
        copy(link_of(snapshot, value)->core, key);
    }
    for (uint32_t i = 0; i < snapshot->buffer_count; i++) {
        if (strcasecmp(snapshot->buffers[i].id, section) == 0) {
            take_buffer(&snapshot->buffers[i], key, value);
        }
    }
}

static bool read_all(struct snapshot *snapshot, const struct index *index)
{
    for (uint32_t i = 0; i < index->devices.count; i++) {
        if (!read_device(snapshot, index->devices.texts[i])) {
            return false;
        }
    }
    if (index->trace[0] == '\0') {
        snprintf(snapshot->error, sizeof(snapshot->error), "%.300s/snapshot.ini names no trace: [trace] metadata", snapshot->folder);
        return false;
    }
    return read_file(snapshot, index->trace, take_trace, snapshot);
}

bool snapshot_read(struct snapshot *snapshot, const char *folder)
{
    struct index index = { .trace = "" };
    bool is_read;

    *snapshot = (struct snapshot) { .folder = folder };
    is_read = read_file(snapshot, "snapshot.ini", take_index, &index) && read_all(snapshot, &index);
    free(index.devices.texts);
    return is_read;
}

const struct device *snapshot_device(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->device_count; i++) {
        if (strcmp(snapshot->devices[i].name, name) == 0) {
            return &snapshot->devices[i];
        }
    }
    return NULL;
}

bool snapshot_has(const struct device *device, enum source_register number)
{
    return (device->has_registers >> number & 1) != 0;
}

void snapshot_release(struct snapshot *snapshot)
{
    free(snapshot->devices);
    free(snapshot->buffers);
    free(snapshot->links);
    *snapshot = (struct snapshot) { .folder = NULL };
}
