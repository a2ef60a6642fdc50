/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions 4 to 6: QEMU's callbacks get the plugin's id. */
#include "interface.h"

typedef void (*of_vcpu)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*of_block)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*of_exit)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, of_vcpu called);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, of_block called);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, of_exit called, void *data);

static void (*on_core)(unsigned int vcpu);
static void (*on_block)(struct qemu_plugin_tb *block);
static void (*at_exit)(void);

static void core_made(qemu_plugin_id_t id, unsigned int vcpu)
{
    (void)id;
    on_core(vcpu);
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    on_block(block);
}

static void ends(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    at_exit();
}

void interface_on_core(qemu_plugin_id_t id, void (*called)(unsigned int vcpu))
{
    on_core = called;
    qemu_plugin_register_vcpu_init_cb(id, core_made);
}

void interface_on_block(qemu_plugin_id_t id, void (*called)(struct qemu_plugin_tb *block))
{
    on_block = called;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
}

void interface_at_exit(qemu_plugin_id_t id, void (*called)(void))
{
    at_exit = called;
    qemu_plugin_register_atexit_cb(id, ends, NULL);
}
