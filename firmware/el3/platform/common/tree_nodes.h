/* SPDX-License-Identifier: BSD-3-Clause */
/* What is found in a device tree whoever made it. Only the boot core, its MMU off. */
#ifndef TREE_NODES_H
#define TREE_NODES_H

#include <stdbool.h>
#include <stdint.h>

bool tree_has_type(const void *tree, int node, const char *type);

/* A node of /cpus, by its type or, in a tree that gives none, by its name. */
bool tree_is_core(const void *tree, int node);

struct tree_range {
    uint64_t base;
    uint64_t bytes;
};

#endif
