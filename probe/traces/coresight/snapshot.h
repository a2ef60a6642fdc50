/* SPDX-License-Identifier: BSD-3-Clause */
/* The description of a snapshot folder: its cores, its trace sources and its trace buffers, and the memory of its cores. */
#ifndef PROBE_TRACES_CORESIGHT_SNAPSHOT_H
#define PROBE_TRACES_CORESIGHT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#define SNAPSHOT_TEXT 256U
#define SNAPSHOT_PATH 4096U

enum source_register {
    TRCCONFIGR,
    TRCTRACEIDR,
    TRCIDR0,
    TRCIDR1,
    TRCIDR2,
    TRCIDR8,
    TRCIDR9,
    TRCIDR10,
    TRCIDR11,
    TRCIDR12,
    TRCIDR13,
    TRCDEVARCH,
    TRCAUTHSTATUS,
    ETMCR,
    ETMTRACEIDR,
    ETMIDR,
    ETMCCER,
    SOURCE_REGISTERS
};

struct device {
    char name[SNAPSHOT_TEXT], class_name[SNAPSHOT_TEXT], type[SNAPSHOT_TEXT];
    uint32_t registers[SOURCE_REGISTERS];
    uint32_t has_registers; /* one bit each */
};

struct trace_buffer {
    char id[SNAPSHOT_TEXT], name[SNAPSHOT_TEXT], file[SNAPSHOT_TEXT], format[SNAPSHOT_TEXT];
};

/* A trace source of a core, and the buffer that its trace is in. */
struct trace_link {
    char source[SNAPSHOT_TEXT], core[SNAPSHOT_TEXT], buffer[SNAPSHOT_TEXT];
};

struct snapshot {
    const char *folder;
    struct device *devices;
    struct trace_buffer *buffers;
    struct trace_link *links;
    uint32_t device_count, buffer_count, link_count;
    char error[2 * SNAPSHOT_TEXT]; /* why it cannot be read */
    char memory_error[2 * SNAPSHOT_TEXT]; /* of the first memory image that cannot be used; empty */
    uint32_t memory_errors;
};

/* Reads snapshot.ini and what it names, and adds the memory images. False with a reason in `error`. */
bool snapshot_read(struct snapshot *snapshot, const char *folder);

/* The file of that name, its links followed. False with a reason for one that is missing, is no file, or is outside of the folder. */
bool snapshot_path(const struct snapshot *snapshot, const char *name, char path[SNAPSHOT_PATH], const char **reason);

/* NULL where it has no such device. */
const struct device *snapshot_device(const struct snapshot *snapshot, const char *name);

bool snapshot_has(const struct device *device, enum source_register number);

void snapshot_release(struct snapshot *snapshot);

#endif
