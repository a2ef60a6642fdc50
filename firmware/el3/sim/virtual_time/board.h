/* SPDX-License-Identifier: BSD-3-Clause */
/* The board that a platform file describes: its shape and what each operation costs, in nanoseconds. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"

#define BOARD_CLASSES 8U
#define BOARD_TESTS 6U

/* One kind of core, and the cluster made of it. */
struct board_class {
    uint64_t call_ns;            /* from a call's entry to what it does */
    uint64_t entry_ns;           /* of a power-down, beside coordination, flush and message */
    uint64_t entry_deep_ns;      /* more, where the call names a level above the core */
    uint64_t exit_ns;            /* of a wake-up from level 0 */
    uint64_t exit_deep_ns;       /* more, after a call that named a level above the core */
    uint64_t exit_on_ns;         /* more, after CPU_ON */
    uint64_t flush_core_ns;
    uint64_t flush_cluster_ns;   /* the core's own caches included */
    uint64_t flush_crowd_ns;     /* more, while other cores of the cluster flush too */
    uint64_t cluster_up_ns;
    uint64_t system_up_ns;
};

enum board_lock { BOARD_LOCK_TICKET, BOARD_LOCK_BAKERY, BOARD_LOCK_SWAP };
enum board_scope { BOARD_SCOPE_COORDINATION, BOARD_SCOPE_TRANSITION };
enum board_channel { BOARD_CHANNEL_SHARED, BOARD_CHANNEL_PER_CORE };

struct board {
    unsigned cores;
    unsigned clusters;
    unsigned lead;
    uint16_t cluster_cores[HOST_MAX_CORES];
    uint8_t cluster_class[HOST_MAX_CORES];
    unsigned order[BOARD_TESTS][HOST_MAX_CORES]; /* in which the cores of a parallel test start */
    unsigned ordered[BOARD_TESTS];
    struct board_class classes[BOARD_CLASSES];

    enum board_lock lock;
    enum board_scope scope;
    uint64_t lock_acquire_ns;
    uint64_t lock_acquire_core_ns;  /* bakery: more, for each core of the system */
    uint64_t lock_handover_ns;
    uint64_t lock_handover_core_ns; /* more, for each core that waits */
    uint64_t shared_ns;
    uint64_t capture_ns;

    enum board_channel channel;
    uint64_t message_ns;
    uint64_t busy_core_ns;    /* from a core's WFI until the channel takes the next message */
    uint64_t busy_cluster_ns; /* more, where its cluster goes down with it */
    uint64_t busy_off_ns;     /* more, after CPU_OFF */
    uint64_t wake_ns;         /* from the interrupt to the first instruction */
    uint64_t wake_each_ns;    /* one controller wakes one core after the other */

    uint64_t stagger_ns;      /* between the starts of a parallel test */
    uint64_t noise_ns;        /* up to so much more in each part */
    uint64_t seed;
    bool flush_always_cluster; /* a fault: every core flushes as a last man */
};

/* Reads `key value...` lines. False: one line on stderr says what is wrong. */
bool board_read(struct board *board, const char *path);

static inline const struct board_class *board_class_of_cluster(const struct board *board, unsigned cluster)
{
    return &board->classes[board->cluster_class[cluster]];
}

#endif
