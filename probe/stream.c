/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <errno.h>
#include <string.h>

#define END_BODY_BYTES 16U
#define RESERVED_BYTES (STREAM_RECORD_HEADER_BYTES + END_BODY_BYTES)

struct record_header {
    uint16_t kind;
    uint16_t bytes; /* of the whole record */
    uint32_t core;
};

_Static_assert(sizeof(struct record_header) == STREAM_RECORD_HEADER_BYTES, "the format fixes the header");

static void write_all(struct stream *stream, const void *data, size_t bytes)
{
    if (stream->error != 0) {
        return;
    }
    errno = 0;
    if (fwrite(data, 1, bytes, stream->file) != bytes) {
        stream->error = errno != 0 ? errno : EIO;
    }
    stream->written_bytes += bytes;
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static void release(struct stream *stream)
{
    write_all(stream, stream->held, stream->held_bytes);
    if (stream->error != 0) {
        stream->lost += stream->held_records;
        stream->records -= stream->held_records;
    }
    stream->held_records = 0;
    stream->held_bytes = 0;
}

static void hold(struct stream *stream, const void *data, size_t bytes)
{
    memcpy(stream->held + stream->held_bytes, data, bytes);
    stream->held_bytes += bytes;
}

static void put(struct stream *stream, enum record_kind kind, uint32_t core, const void *body, size_t body_bytes)
{
    static const char zeros[8];
    size_t bytes = sizeof(struct record_header) + padded(body_bytes);
    struct record_header header = { .kind = (uint16_t)kind, .bytes = (uint16_t)bytes, .core = core };

    if (stream->held_bytes + bytes > sizeof(stream->held)) {
        release(stream);
    }
    hold(stream, &header, sizeof(header));
    hold(stream, body, body_bytes);
    hold(stream, zeros, padded(body_bytes) - body_bytes);
    stream->held_records++;
    stream->records++;
}

void stream_open(struct stream *stream, FILE *file, uint64_t limit_bytes, const void *header, size_t header_bytes)
{
    stream->file = file;
    stream->limit_bytes = limit_bytes;
    stream->written_bytes = 0;
    stream->records = 0;
    stream->lost = 0;
    stream->error = 0;
    stream->lost_at_crossing = 0;
    stream->held_records = 0;
    stream->held_bytes = 0;
    write_all(stream, header, header_bytes);
}

void stream_put(struct stream *stream, enum record_kind kind, uint32_t core, const void *body, size_t body_bytes)
{
    uint64_t bytes = sizeof(struct record_header) + padded(body_bytes);
    bool fits = bytes <= STREAM_RECORD_MAX_BYTES && stream->written_bytes + stream->held_bytes + bytes + RESERVED_BYTES <= stream->limit_bytes;

    if (stream->lost > 0 || stream->error != 0 || !fits) {
        stream->lost++;
    } else {
        put(stream, kind, core, body, body_bytes);
    }
    if (kind == RECORD_CROSSING) {
        release(stream);
        stream->lost_at_crossing = stream->lost;
    }
}

void stream_flush(struct stream *stream)
{
    if (stream->error == 0 && fflush(stream->file) != 0) {
        stream->error = errno;
    }
}

static void leave_out(struct stream *stream)
{
    stream->records -= stream->held_records;
    stream->lost = stream->lost_at_crossing;
    stream->held_records = 0;
    stream->held_bytes = 0;
}

void stream_keep(struct stream *stream, bool keeps_held)
{
    if (!keeps_held) {
        leave_out(stream);
    }
    release(stream);
    stream->lost_at_crossing = stream->lost;
}

bool stream_close(struct stream *stream, bool keeps_held)
{
    struct {
        struct record_header header;
        uint64_t records, lost;
    } end = { .header = { .kind = RECORD_END, .bytes = sizeof(end) } };

    stream_keep(stream, keeps_held);
    end.records = stream->records;
    end.lost = stream->lost;
    write_all(stream, &end, sizeof(end));
    if (fclose(stream->file) != 0 && stream->error == 0) {
        stream->error = errno;
    }
    stream->file = NULL;
    return stream->error == 0;
}
