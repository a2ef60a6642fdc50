/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define FLUSH_AFTER_NS 100000000LL
#define NS_PER_S 1000000000LL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream stream;
static const char *file_name;

void records_lock(void)
{
    pthread_mutex_lock(&lock);
}

void records_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void records_open(FILE *file, const char *name, uint64_t limit_bytes, const void *header, size_t header_bytes)
{
    file_name = name;
    stream_open(&stream, file, limit_bytes, header, header_bytes);
}

static void flush_when_due_locked(void)
{
    static long long last_ns;
    struct timespec now;
    long long now_ns;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    now_ns = (long long)now.tv_sec * NS_PER_S + now.tv_nsec;
    if (now_ns - last_ns > FLUSH_AFTER_NS) {
        last_ns = now_ns;
        stream_flush(&stream);
    }
}

void records_put(enum record_kind kind, uint32_t core, const void *body, size_t bytes)
{
    records_lock();
    stream_put(&stream, kind, core, body, bytes);
    flush_when_due_locked();
    records_unlock();
}

void records_put_locked(enum record_kind kind, uint32_t core, const void *body, size_t bytes)
{
    stream_put(&stream, kind, core, body, bytes);
}

void records_flush_when_due(void)
{
    records_lock();
    flush_when_due_locked();
    records_unlock();
}

void records_keep(bool keeps_held)
{
    stream_keep(&stream, keeps_held);
}

void records_close(bool keeps_held)
{
    if (!stream_close(&stream, keeps_held)) {
        fprintf(stderr, "latlab probe: writing to %s failed (%s); %llu records were lost\n", file_name, strerror(stream.error),
                (unsigned long long)stream.lost);
    } else if (stream.lost > 0) {
        fprintf(stderr, "latlab probe: %s reached its limit of %llu bytes; %llu records were lost\n", file_name,
                (unsigned long long)stream.limit_bytes, (unsigned long long)stream.lost);
    }
}
