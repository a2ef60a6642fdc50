/* SPDX-License-Identifier: BSD-3-Clause */
/* The stream of records that the probe writes: bounded; records without room are counted. The format is docs/reference/probe-format.md. */
#ifndef PROBE_STREAM_H
#define PROBE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STREAM_MAGIC "LLPROBE"
#define STREAM_VERSION 4U
#define HEADER_FUNCTIONS 1
#define HEADER_MASKED 2
#define HEADER_CONTEXTS 4

#define STREAM_RECORD_MAX_BYTES 65528U
#define STREAM_RECORD_HEADER_BYTES 8U
#define STREAM_HELD_MAX_BYTES (256U << 10)

enum record_kind {
    RECORD_CORE = 1,
    RECORD_CROSSING = 2,
    RECORD_SLEEP = 3,
    RECORD_WAKE = 4,
    RECORD_FRAGMENT = 5,
    RECORD_PROFILE = 6,
    RECORD_END = 7,
    RECORD_PATH = 8,
    RECORD_MASKED = 9,
    RECORD_NAPS = 10,
    RECORD_SOURCE = 11,
    RECORD_TIME = 12,
    RECORD_GAP = 13,
    RECORD_SPENT = 14,
    RECORD_STOPPED = 15,
};

struct stream_header {
    char magic[8];
    uint16_t version;
    uint16_t bytes; /* of this header */
    uint16_t arch;
    uint16_t wanted;    /* bits HEADER_* */
    uint32_t cores;     /* 0 in a trace of something else than QEMU */
    uint32_t interface; /* of QEMU's plugins, 0 likewise */
};

struct stream {
    FILE *file;
    uint64_t limit_bytes;
    uint64_t written_bytes;
    uint64_t records;
    uint64_t lost;
    int error; /* errno of the first write that failed, 0 where none did */
    uint64_t lost_at_crossing; /* of `lost`, those before the last crossing */
    uint64_t held_records;
    size_t held_bytes;
    uint8_t held[STREAM_HELD_MAX_BYTES]; /* records behind the last crossing, in order */
};

/* Takes over `file` and writes the header to it. Room for the last record is kept free below `limit_bytes`. */
void stream_open(struct stream *stream, FILE *file, uint64_t limit_bytes, const void *header, size_t header_bytes);

/* Appends a record, which is held back until a crossing follows or more is held than fits. Or counts it as lost: beyond the limit, after a failed write, or longer than a record may be. From the first loss on
 * every record is lost, so that what is there has no hole. `body_bytes` is padded with zeros to a multiple of 8. */
void stream_put(struct stream *stream, enum record_kind kind, uint32_t core, const void *body, size_t body_bytes);

/* What is held back is written if `keeps_held`, else left out and counted nowhere; records behind it are of the whole machine. */
void stream_keep(struct stream *stream, bool keeps_held);

/* Writes the last record, which says how many were written and lost, and closes the file. What is held back comes before it if
 * `keeps_held`, else it is left out and counted nowhere. False where the disk did not take it all. */
bool stream_close(struct stream *stream, bool keeps_held);

/* Hands to the system what was put so far and is not held back, so that a reader sees it. */
void stream_flush(struct stream *stream);

#endif
