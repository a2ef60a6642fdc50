/* SPDX-License-Identifier: BSD-3-Clause */
/* Device trees that tests make, each in a block of memory that ends where the tree does: the sanitizer sees a look behind it. */
#ifndef MADE_TREE_H
#define MADE_TREE_H

#include <libfdt.h>

#include "tree.h"

/* Node by node. A property or an end belongs to the node that was begun last; the root is begun by tree_begin(). */
void tree_begin(void);
void tree_node(const char *name);
void tree_cells(const char *name, unsigned count, const uint32_t *values);
void tree_cell(const char *name, uint32_t value);
void tree_text(const char *name, const char *text);
void tree_range(uint64_t base, uint64_t bytes); /* `reg` of one range */
void tree_end(void);
/* Ends the root. What it returns is good until the next tree; `room` bytes behind the tree belong to it too. */
void *tree_made(unsigned room);

#define MOST_MADE_RANGES 12U

/* A machine in few words. What is 0 is left out of its tree. */
struct described {
    unsigned cores;
    bool from_the_last;    /* the highest core's node comes first */
    unsigned mpidr_cells;  /* of a core's `reg` */
    unsigned clusters;     /* of /cpus/cpu-map */
    unsigned a_socket_has; /* so many of them */
    unsigned cluster_cores[MAX_CLUSTERS];
    unsigned ranges;
    struct tree_range memory[MOST_MADE_RANGES];
    bool in_one_node;
    struct tree_range secure_ram;
    const char *gic; /* its `compatible` */
    uint32_t counter_hz;
};

/* Two cores, a gibibyte at the usual place, GICv3 and a counter of 62.5 MHz. */
struct described described_usual(void);
void *tree_of(const struct described *machine);
/* The same before its root is ended, for a test that adds nodes. */
void tree_begin_of(const struct described *machine);

#endif
