/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between the versions of QEMU's plugin interface. Each shared object knows one version; everything else in it is the same. */
#ifndef PROBE_INTERFACE_H
#define PROBE_INTERFACE_H

#include "qemu_interface.h"

/* The version that this shared object was made for. */
extern const int interface_version;

/* The plugin's own start, which the loaded object calls once QEMU wants more than an answer. Returns 0, or what QEMU takes for a failure. */
int interface_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* Has QEMU call at the start of each vCPU, for each block that it translates, and at its end. One function of each. */
void interface_on_core(qemu_plugin_id_t id, void (*called)(unsigned int vcpu));
void interface_on_block(qemu_plugin_id_t id, void (*called)(struct qemu_plugin_tb *block));
void interface_at_exit(qemu_plugin_id_t id, void (*called)(void));

/* QEMU's register with this name, NULL where it has none. */
struct qemu_plugin_register *interface_register(const GArray *registers, const char *name);

#endif
