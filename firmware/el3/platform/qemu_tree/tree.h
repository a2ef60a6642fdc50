/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine is, from the device tree that QEMU leaves at the start of DRAM; and what the firmware adds to it. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory_map.h"
#include "tree_nodes.h"

#define MAX_RANGES 8U
#define MAX_CLUSTERS MAX_CORES

struct tree_machine {
    unsigned cores;
    unsigned clusters;
    uint8_t cluster_cores[MAX_CLUSTERS];
    unsigned ranges;
    struct tree_range memory[MAX_RANGES]; /* the normal world's, by address, none beside another */
    struct tree_range secure_ram;         /* 0 bytes where the tree names none */
    unsigned gic;                         /* 2 or 3; 0: none that is known here */
    uint64_t gicd;
    uint64_t gicc_or_gicr;
    uint32_t counter_hz; /* 0 where the tree does not say */
};

/*
 * Reads the tree. NULL, or a sentence that says why this machine cannot be used. Only the boot core, MMU off: DRAM is not mapped.
 */
const char *tree_read(const void *tree, struct tree_machine *machine);

/* Adds what the normal world needs to find this firmware; the same conditions. NULL or a sentence. */
const char *tree_add_firmware(void *tree, const struct tree_machine *machine);

#endif
