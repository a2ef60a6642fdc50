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

static void put(struct stream *stream, enum record_kind kind, uint32_t core, const void *body, size_t body_bytes)
{
    static const char zeros[8];
    size_t bytes = sizeof(struct record_header) + padded(body_bytes);
    struct record_header header = { .kind = (uint16_t)kind, .bytes = (uint16_t)bytes, .core = core };

    write_all(stream, &header, sizeof(header));
    write_all(stream, body, body_bytes);
    write_all(stream, zeros, padded(body_bytes) - body_bytes);
}

void stream_open(struct stream *stream, FILE *file, uint64_t limit_bytes, const void *header, size_t header_bytes)
{
    *stream = (struct stream) { .file = file, .limit_bytes = limit_bytes };
    write_all(stream, header, header_bytes);
}

void stream_put(struct stream *stream, enum record_kind kind, uint32_t core, const void *body, size_t body_bytes)
{
    uint64_t bytes = sizeof(struct record_header) + padded(body_bytes);
    bool fits = bytes <= STREAM_RECORD_MAX_BYTES && stream->written_bytes + bytes + RESERVED_BYTES <= stream->limit_bytes;

    if (stream->lost > 0 || stream->error != 0 || !fits) {
        stream->lost++;
        return;
    }
    put(stream, kind, core, body, body_bytes);
    if (stream->error != 0) {
        stream->lost++;
        return;
    }
    stream->records++;
}

void stream_flush(struct stream *stream)
{
    if (stream->error == 0 && fflush(stream->file) != 0) {
        stream->error = errno;
    }
}

bool stream_close(struct stream *stream)
{
    uint64_t body[END_BODY_BYTES / 8] = { stream->records, stream->lost };

    put(stream, RECORD_END, 0, body, sizeof(body));
    if (fclose(stream->file) != 0 && stream->error == 0) {
        stream->error = errno;
    }
    stream->file = NULL;
    return stream->error == 0;
}
