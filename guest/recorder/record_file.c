/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "crc32.h"

_Static_assert(sizeof(struct outlier) == 32, "an outlier is 32 bytes in the file");
_Static_assert(sizeof(struct record_header) == 352, "no padding in the header");
_Static_assert(sizeof(struct record_slot) == 64, "no padding in the head of a slot");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is written as it stands in memory");

static int write_all(int fd, const void *data, uint64_t bytes, uint64_t offset)
{
    const char *at = data;

    while (bytes != 0) {
        ssize_t written = pwrite(fd, at, (size_t)bytes, (off_t)offset);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written < 0 ? errno : ENOSPC;
        }
        at += written;
        bytes -= (uint64_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

static void share(struct record_file *file, const void *data, uint64_t bytes, uint64_t offset)
{
    struct record_shared *head = file->shared;
    uint64_t end = RECORD_SHARED_PAGE + offset + bytes;

    if (head == NULL || end > file->shared_bytes) {
        return;
    }
    memcpy((char *)file->shared + RECORD_SHARED_PAGE + offset, data, (size_t)bytes);
    if (offset + bytes > head->bytes) {
        __atomic_store_n(&head->bytes, offset + bytes, __ATOMIC_RELEASE);
    }
}

static int keep(struct record_file *file, const void *data, uint64_t bytes, uint64_t offset)
{
    share(file, data, bytes, offset);
    return write_all(file->fd, data, bytes, offset);
}

void record_share(struct record_file *file, void *memory, uint64_t bytes)
{
    struct record_shared *head = memory;

    if (bytes < 2U * RECORD_SHARED_PAGE) {
        return;
    }
    head->bytes = 0;
    memcpy(head->magic, RECORD_SHARED_MAGIC, sizeof(head->magic));
    file->shared = memory;
    file->shared_bytes = bytes;
}

int record_create(struct record_file *file, const char *path)
{
    struct record_header *header = &file->header;

    memcpy(header->magic, RECORD_MAGIC, sizeof(header->magic));
    header->header_bytes = sizeof(*header);
    header->slot_bytes = (uint32_t)(sizeof(struct record_slot) + header->cpus * sizeof(struct tally));
    header->buckets = HISTOGRAM_BUCKETS;
    header->sub_bits = HISTOGRAM_SUB_BITS;
    header->crc = crc32_append(0, header, offsetof(struct record_header, crc));
    file->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (file->fd < 0) {
        return errno;
    }
    file->end = header->header_bytes + 2ULL * header->slot_bytes;
    file->sequence = 0;
    file->outliers_written = 0;

    int error = posix_fallocate(file->fd, 0, (off_t)file->end); /* so that a disk that fills later still takes checkpoints */

    return error != 0 && error != EOPNOTSUPP && error != EINVAL ? error : keep(file, header, sizeof(*header), 0);
}

/* The older slot is overwritten; if that is cut off, the other one still holds. */
int record_checkpoint(struct record_file *file, struct record_slot slot, const struct tally *tallies)
{
    size_t tallies_bytes = file->header.cpus * sizeof(struct tally);

    slot.sequence = ++file->sequence;
    slot.outliers_written = file->outliers_written;
    slot.crc = crc32_append(crc32_append(0, &slot, offsetof(struct record_slot, crc)), tallies, tallies_bytes);

    uint64_t place = file->header.header_bytes + (slot.sequence % 2U) * file->header.slot_bytes;
    int error = keep(file, tallies, tallies_bytes, place + sizeof(slot));

    if (error == 0) {
        error = keep(file, &slot, sizeof(slot), place);
    }
    if (error == 0 && fdatasync(file->fd) != 0 && errno != EINVAL) {
        error = errno;
    }
    return error;
}

int record_outliers(struct record_file *file, const struct outlier *outliers, uint32_t count)
{
    struct record_batch batch = { .outliers = count, .crc = crc32_append(0, outliers, count * sizeof(*outliers)) };
    int error = keep(file, &batch, sizeof(batch), file->end);

    if (error == 0) {
        error = keep(file, outliers, count * sizeof(*outliers), file->end + sizeof(batch));
    }
    if (error == 0) {
        file->end += sizeof(batch) + count * sizeof(*outliers);
        file->outliers_written += count;
    }
    return error;
}
