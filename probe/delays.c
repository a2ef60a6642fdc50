/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin of QEMU that delays: instructions of a range by which cores meet each other or a device wait, now and then, as if the host
 * had preempted the core there. Which ones and how long comes from a seed; several in one run, a few of them long.
 *   -plugin latlab-delays.so,seed=1,from=0xe000000,to=0xf000000
 */
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

/* Of so many places one waits long, at every other visit, and some a little: a long wait is to outlast the way that another core goes. */
#define KINDS 32U
#define LONG_KINDS 1U
#define SHORT_KINDS 5U
#define WAITS_OF 2U
#define SHORT_US 50U
#define LONG_US 20000U

static uint64_t seed = 1;
static uint64_t from;
static uint64_t to = UINT64_MAX;

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 27) * 0x94D049BB133111EBU;
    return value ^ value >> 31;
}

/* DC by set and way: thousands of them in a row clean what is the core's own. */
static bool cleans_by_set(uint32_t opcode)
{
    return (opcode & 0xFFFFF0E0U) == 0xD5087040U;
}

/* Barriers, cache maintenance, system registers, events and waits; exclusive, acquiring and releasing accesses. */
static bool meets_others(uint32_t opcode)
{
    bool is_system = (opcode & 0xFFC00000U) == 0xD5000000U;

    return (is_system && !cleans_by_set(opcode)) || (opcode & 0x3F000000U) == 0x08000000U;
}

static uint64_t kind_of(uint64_t address)
{
    return mix(seed ^ address) % KINDS;
}

static void wait_here(unsigned int vcpu, void *place)
{
    static _Thread_local uint64_t hits;
    uint64_t address = (uint64_t)(uintptr_t)place;
    uint64_t chance = mix(seed ^ address ^ (uint64_t)vcpu << 48 ^ ++hits << 32);

    if (chance % WAITS_OF == 0) {
        g_usleep(kind_of(address) < LONG_KINDS ? LONG_US : SHORT_US);
    }
}

static void translated(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t address = qemu_plugin_insn_vaddr(instruction);
        uint32_t opcode = 0;

        qemu_plugin_insn_data(instruction, &opcode, sizeof(opcode));
        if (address >= from && address < to && meets_others(opcode) && kind_of(address) < SHORT_KINDS) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, wait_here, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)address);
        }
    }
}

int interface_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        uint64_t number = value == NULL ? 0 : strtoull(value + 1, NULL, 0);

        if (g_str_has_prefix(argv[i], "seed=")) {
            seed = number;
        } else if (g_str_has_prefix(argv[i], "from=")) {
            from = number;
        } else if (g_str_has_prefix(argv[i], "to=")) {
            to = number;
        } else {
            fprintf(stderr, "latlab-delays: %s means nothing here; it takes seed=, from= and to=\n", argv[i]);
            return 1;
        }
    }
    interface_on_block(id, translated);
    return 0;
}
