/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file: one header, two slots for checkpoints that are written in turn, then batches of outliers that are only added
 * to. All numbers are little-endian. A CRC-32 guards the header, each slot and each batch, so that whatever was cut off is
 * known to be; docs/reference/recorder.md has the layout.
 */
#ifndef RECORD_FILE_H
#define RECORD_FILE_H

#include <stdint.h>

#include "tally.h"

#define RECORD_MAGIC "LLREC2\r\n"
#define RECORD_MAX_CPUS 64U
#define RECORD_OUTLIERS_MAX 200000U /* 6.4 MB; later ones are counted as dropped */

struct record_header {
    char magic[8];
    uint32_t header_bytes;
    uint32_t slot_bytes;
    uint32_t cpus;
    uint32_t buckets;
    uint32_t sub_bits;
    uint32_t priority;
    uint64_t interval_ns;
    uint64_t outlier_ns;
    uint64_t duration_ns;
    uint64_t start_realtime_ns;
    uint64_t start_ns;
    uint64_t counter_hz;
    uint64_t loop_cost_ps; /* the bookkeeping of one wake-up, measured at the start */
    uint32_t idle_states_allowed;
    uint32_t cpu_numbers[RECORD_MAX_CPUS];
    uint32_t crc;
};

struct record_slot {
    uint64_t sequence; /* from 1; the higher valid one counts */
    uint64_t now_ns;
    uint64_t now_ticks;
    uint64_t outliers_written;
    uint64_t continued_ns; /* CLOCK_MONOTONIC of the last SIGCONT: until then a signal may have stopped the recorder */
    uint64_t continued;    /* SIGCONTs since the start */
    uint32_t stopped_by;   /* the signal that ended the measurement before its time; 0 if none did */
    uint32_t write_error;  /* the errno that ended it, because an outlier or an event could not be written; 0 if none did */
    uint32_t is_final;
    uint32_t crc; /* over the slot without this field */
};

struct record_batch {
    uint32_t outliers;
    uint32_t crc; /* over the outliers that follow */
};

/*
 * Memory that outlives this machine, if there is any: a page with the mark and the size so far, then the file again from
 * its first byte. What no longer fits is left out of it.
 */
#define RECORD_SHARED_MAGIC "LLSHM1\r\n"
#define RECORD_SHARED_PAGE 4096U

struct record_shared {
    char magic[8];
    uint64_t bytes; /* set after what it counts */
};

struct record_file {
    int fd;
    void *shared; /* NULL without such memory */
    uint64_t shared_bytes;
    uint64_t end;
    uint64_t sequence;
    uint64_t outliers_written;
    struct record_header header;
};

/*
 * Keeps the file in `memory` as well, which has `bytes` and stays as long as the file is used. Before record_create(); memory
 * smaller than two pages is not used.
 */
void record_share(struct record_file *file, void *memory, uint64_t bytes);

/*
 * All return 0 or the errno of what failed; after an error the file holds what the last good call left. record_create()
 * wants the header filled in but for its sizes and CRC and overwrites `path`; the other two are for one thread, after it.
 * `tallies` has header.cpus entries, in the order of header.cpu_numbers; `slot` needs its times, its signals and is_final.
 */
int record_create(struct record_file *file, const char *path);
int record_checkpoint(struct record_file *file, struct record_slot slot, const struct tally *tallies);
int record_outliers(struct record_file *file, const struct outlier *outliers, uint32_t count);

#endif
