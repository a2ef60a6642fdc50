/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interface.h"

#define EXPORTED __attribute__((visibility("default")))
#define ASKED "ask=on"

extern EXPORTED const int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

const int interface_version = QEMU_INTERFACE_VERSION;
const int qemu_plugin_version = QEMU_INTERFACE_VERSION;

/* latlab reads this line: that QEMU takes this object, and which versions it has. No machine starts. */
static void answer(const qemu_info_t *info)
{
    printf("latlab-interface used=%d min=%d cur=%d\n", interface_version, info->version.min, info->version.cur);
    fflush(stdout);
    _exit(0);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], ASKED) == 0) {
        answer(info);
    }
    return interface_install(id, info, argc, argv);
}

/* Newer versions put more behind what is known of a register, so the distance of two of them is what QEMU says. */
struct qemu_plugin_register *interface_register(const GArray *registers, const char *name)
{
    guint stride = g_array_get_element_size((GArray *)(uintptr_t)registers);

    for (guint i = 0; i < registers->len; i++) {
        const qemu_plugin_reg_descriptor *each = (const void *)&registers->data[(size_t)i * stride];

        if (strcmp(each->name, name) == 0) {
            return each->handle;
        }
    }
    return NULL;
}
