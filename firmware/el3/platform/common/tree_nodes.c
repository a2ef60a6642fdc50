/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree_nodes.h"

#include <libfdt.h>

bool tree_has_type(const void *tree, int node, const char *type)
{
    int bytes;
    const char *is = fdt_getprop(tree, node, "device_type", &bytes);

    return is != NULL && (unsigned)bytes == strlen(type) + 1 && memcmp(is, type, (size_t)bytes) == 0;
}

bool tree_is_core(const void *tree, int node)
{
    const char *name = fdt_get_name(tree, node, NULL);

    if (fdt_getprop(tree, node, "device_type", NULL) != NULL) {
        return tree_has_type(tree, node, "cpu");
    }
    return name != NULL && strnlen(name, 4) == 4 && memcmp(name, "cpu@", 4) == 0;
}
