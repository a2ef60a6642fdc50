/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of a dump, <LLT1:KIND key=value *CRC>: docs/reference/trace-format.md specifies them. This is the one
 * writer of them, for every program that prints a dump.
 */
#ifndef WIRE_LLT1_H
#define WIRE_LLT1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LLT1_LINE_SIZE 320       /* enough for every line whose texts are of ordinary length */
#define LLT1_RECORD_BYTES 16
#define LLT1_RECORDS_PER_LINE 3U

/* Where the lines go. All functions write into `line` first, so a writer belongs to one core at a time. */
struct llt1_writer {
    char *line;
    size_t size;
    void (*write)(const char *line);  /* a whole line, to which it adds the newline */
    void (*refuse)(const char *line); /* in place of `write` for a line that does not fit, of which this is the format: the dump is damaged */
};

/* A core's identity, `cluster.core`. */
struct llt1_core {
    unsigned cluster;
    unsigned core;
};

/* No text of a line may hold a space, `<` or `>`. */
struct llt1_boot {
    uint64_t events; /* TRACE_EVENTS_HASH of the firmware that wrote the records */
    uint64_t clock_hz;
    uint64_t capture_mticks;
    const char *topology;
    struct llt1_core lead;
    uint64_t iterations;
    unsigned exception_level;
    unsigned gic;
    const char *firmware;
};

struct llt1_ring {
    const char *test;
    uint64_t iteration;
    struct llt1_core core;
    uint64_t first; /* sequence of the first record */
    uint64_t records;
    uint64_t lost;
};

void llt1_boot(const struct llt1_writer *to, const struct llt1_boot *boot);
void llt1_test(const struct llt1_writer *to, const char *name, uint64_t iteration, struct llt1_core lead);
void llt1_ring(const struct llt1_writer *to, const struct llt1_ring *ring);
/* `records` are 1 to LLT1_RECORDS_PER_LINE records as the ring holds them. */
void llt1_data(const struct llt1_writer *to, struct llt1_core core, uint64_t first, const void *records, size_t count);
void llt1_done(const struct llt1_writer *to, const char *test, uint64_t iteration);
void llt1_end(const struct llt1_writer *to, uint64_t tests, uint64_t iterations, bool pass);

#endif
