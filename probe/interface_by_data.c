/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions 7 and newer: QEMU's callbacks get data of the plugin's own in place of its id. */
#include "interface.h"

typedef void (*of_vcpu)(unsigned int vcpu, void *data);
typedef void (*of_block)(struct qemu_plugin_tb *block, void *data);
typedef void (*of_exit)(void *data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, of_vcpu called, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, of_block called, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, of_exit called, void *data);

static void (*on_core)(unsigned int vcpu);
static void (*on_block)(struct qemu_plugin_tb *block);
static void (*at_exit)(void);

static void core_made(unsigned int vcpu, void *data)
{
    (void)data;
    on_core(vcpu);
}

static void block_translated(struct qemu_plugin_tb *block, void *data)
{
    (void)data;
    on_block(block);
}

static void ends(void *data)
{
    (void)data;
    at_exit();
}

void interface_on_core(qemu_plugin_id_t id, void (*called)(unsigned int vcpu))
{
    on_core = called;
    qemu_plugin_register_vcpu_init_cb(id, core_made, NULL);
}

void interface_on_block(qemu_plugin_id_t id, void (*called)(struct qemu_plugin_tb *block))
{
    on_block = called;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated, NULL);
}

void interface_at_exit(qemu_plugin_id_t id, void (*called)(void))
{
    at_exit = called;
    qemu_plugin_register_atexit_cb(id, ends, NULL);
}
