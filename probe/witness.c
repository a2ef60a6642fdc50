/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin of QEMU that watches an M-profile machine while its non-secure side attacks the secure one, and writes what it saw as lines of
 * text. The non-secure program stores the number of its attack in the word at `mark` and that of the shot in the next one.
 *   -plugin latlab-witness.so,out=FILE,mark=0x28200010,limit=5000000,handler=0x10000400,target=0x10000000-0x10000040
 * Secure and non-secure are told apart by address bit 28 of the code, as in world.c.
 *
 *   B                               the machine starts, at the first handler that is named
 *   M attack                        an attack begins
 *   E attack shot pc opcode kind    the secure side was entered: `gate` at an SG, `unknown` at no SG, no handler and no place that it left
 *   S attack shot pc address bytes value      secure code stored in a target
 *   L attack shot pc address bytes value      secure code loaded from a target
 *   W attack instructions           the secure side was left, so long behind a gateway; the first stays of an attack's first shot
 *   P attack sp word word           what lies on the secure process stack behind a gateway; Q: on the main stack
 *   K address                       a seal was stored, once for each address
 *   Z why pc shot                   the machine is ended: `limit` instructions since the last mark, or `asleep`
 */
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interface.h"

#define SECURE_BIT     (1U << 28)
#define SG_OPCODE      0xE97FE97FU
#define SEAL           0xFEF5EDA5U
#define MOST_LISTED    64
#define MOST_ACCESSES  64U /* told of one attack and shot */
#define MOST_STAYS     16U
#define BOOT_LIMIT     400000000U
#define ASLEEP_TURNS   20 /* of 100 ms without an instruction, behind a WFI or WFE */
#define TURN_US        100000U

struct place {
    uint32_t pc;
    uint32_t opcode;
    uint32_t size;
};

struct range {
    uint32_t first;
    uint32_t last;
};

static FILE *out;
static uint32_t mark_address;
static uint64_t limit = 5000000;
static uint32_t handlers[MOST_LISTED];
static size_t handler_count;
static struct range targets[MOST_LISTED];
static size_t target_count;

static uint32_t attack, shot;
static uint32_t told;
static uint64_t executed;
static uint64_t budget_from;
static bool is_marked;
static bool was_secure;
static uint64_t entered_at;
static uint32_t stays;
static bool stacks_told;
static struct place last;
static GHashTable *left_places; /* where secure code was interrupted or returned from */
static GHashTable *entered; /* (attack, pc) that were told */
static GHashTable *sealed;
static struct qemu_plugin_register *psp, *msp;

static void *key_of(uint32_t number)
{
    return (void *)(uintptr_t)number;
}

static void end(const char *why, uint32_t pc)
{
    fprintf(out, "Z %s %08" PRIx32 " %" PRIu32 "\n", why, pc, shot);
    fclose(out);
    _exit(0);
}

/* A condition, a table or a popped program counter may lead anywhere: what follows such an instruction is not told from where it stands. */
static bool is_branch(const struct place *place)
{
    uint32_t half = place->opcode & 0xFFFFU;

    if (place->size == 2) {
        return (half & 0xF000U) == 0xD000U || (half & 0xF800U) == 0xE000U || (half & 0xF500U) == 0xB100U || (half & 0xFF00U) == 0x4700U ||
               (half & 0xFF00U) == 0xBD00U || (half & 0xFF87U) == 0x4687U;
    }
    if ((half & 0xF800U) == 0xF000U) {
        return (place->opcode & 0x80000000U) != 0;
    }
    return (half & 0xFE00U) == 0xE800U || (half & 0xFE00U) == 0xF800U;
}

static bool was_left(uint32_t pc)
{
    return g_hash_table_contains(left_places, key_of(pc));
}

static bool is_handler(uint32_t pc)
{
    for (size_t i = 0; i < handler_count; i++) {
        if (handlers[i] == pc) {
            return true;
        }
    }
    return false;
}

static void tell_entry(uint32_t pc, uint32_t opcode, const char *kind)
{
    uint64_t key = (uint64_t)attack << 32 | pc;

    if (!g_hash_table_add(entered, (void *)(uintptr_t)key)) {
        return;
    }
    fprintf(out, "E %" PRIu32 " %" PRIu32 " %08" PRIx32 " %08" PRIx32 " %s\n", attack, shot, pc, opcode, kind);
}

/* `last` is the instruction behind which secure code was left. Behind a BXNS nothing is due to come back. */
static void leave(void)
{
    if (entered_at != 0 && attack != 0 && shot == 0 && stays < MOST_STAYS) {
        stays++;
        fprintf(out, "W %" PRIu32 " %" PRIu64 "\n", attack, executed - entered_at);
    }
    entered_at = 0;
    if (last.size == 2 && (last.opcode & 0xFF87U) == 0x4704U) {
        return;
    }
    g_hash_table_add(left_places, key_of(last.pc));
    g_hash_table_add(left_places, key_of(last.pc + last.size));
    if (is_branch(&last)) {
        g_hash_table_add(left_places, key_of(0));
    }
}

static uint32_t word_of(const GByteArray *bytes, guint at)
{
    uint32_t word = 0;

    memcpy(&word, &bytes->data[at], sizeof(word));
    return word;
}

static void tell_stack(char name, struct qemu_plugin_register *pointer)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    uint32_t at;

    if (pointer == NULL) {
        return;
    }
    qemu_plugin_read_register(pointer, bytes);
    if (bytes->len < sizeof(at)) {
        return;
    }
    at = word_of(bytes, 0);
    g_byte_array_set_size(bytes, 0);
    if (qemu_plugin_read_memory_vaddr(at, bytes, 8)) {
        fprintf(out, "%c %" PRIu32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", name, attack, at, word_of(bytes, 0), word_of(bytes, 4));
    }
}

/* QEMU takes an SG while it looks for code: the first instruction that runs is the one behind it. */
static bool is_behind_gate(uint32_t pc)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    return qemu_plugin_read_memory_vaddr(pc - 4U, bytes, 4) && word_of(bytes, 0) == SG_OPCODE;
}

static void enter(const struct place *first)
{
    if (is_behind_gate(first->pc)) {
        tell_entry(first->pc - 4U, SG_OPCODE, "gate");
        entered_at = executed;
        if (!stacks_told && attack != 0) {
            stacks_told = true;
            tell_stack('P', psp);
            tell_stack('Q', msp);
        }
    } else if (!is_handler(first->pc) && !was_left(first->pc) && !was_left(0)) {
        tell_entry(first->pc, first->opcode, "unknown");
    }
    g_hash_table_remove(left_places, key_of(0));
}

static void check_budget(uint32_t pc)
{
    if (executed - budget_from > (is_marked ? limit : BOOT_LIMIT)) {
        end("limit", pc);
    }
}

static void block_runs(unsigned int vcpu, void *data)
{
    const struct place *first = data;
    bool is_secure = (first->pc & SECURE_BIT) != 0;

    (void)vcpu;
    if (is_secure && handler_count != 0 && first->pc == handlers[0]) {
        fprintf(out, "B\n");
        is_marked = false;
        budget_from = executed;
        was_secure = true;
    }
    if (is_secure != was_secure) {
        was_secure = is_secure;
        if (is_secure) {
            enter(first);
        } else {
            leave();
        }
    }
    check_budget(first->pc);
}

static void instruction_runs(unsigned int vcpu, void *data)
{
    (void)vcpu;
    last = *(const struct place *)data;
    executed++;
}

static void take_mark(uint32_t address, uint32_t value)
{
    if (address == mark_address) {
        attack = value;
        shot = 0;
        stays = 0;
        stacks_told = false;
        g_hash_table_remove(left_places, key_of(0)); /* between calls no branch is waited for */
        fprintf(out, "M %" PRIu32 "\n", attack);
        fflush(out); /* a locked-up processor ends QEMU with no word to a plugin */
    } else {
        shot = value;
    }
    is_marked = true;
    told = 0;
    budget_from = executed;
}

static bool is_target(uint32_t address)
{
    for (size_t i = 0; i < target_count; i++) {
        if (address >= targets[i].first && address <= targets[i].last) {
            return true;
        }
    }
    return false;
}

static unsigned int bytes_of(const qemu_plugin_mem_value *value)
{
    return 1U << (unsigned int)value->type;
}

static uint64_t number_of(const qemu_plugin_mem_value *value)
{
    switch (value->type) {
    case QEMU_PLUGIN_MEM_VALUE_U8:
        return value->data.u8;
    case QEMU_PLUGIN_MEM_VALUE_U16:
        return value->data.u16;
    case QEMU_PLUGIN_MEM_VALUE_U32:
        return value->data.u32;
    case QEMU_PLUGIN_MEM_VALUE_U64:
        return value->data.u64;
    default:
        return value->data.u128.low;
    }
}

static void secure_access(uint32_t pc, qemu_plugin_meminfo_t info, uint32_t address)
{
    bool is_store = qemu_plugin_mem_is_store(info);
    qemu_plugin_mem_value value;

    if (is_store && !is_marked) {
        value = qemu_plugin_mem_get_value(info);
        if (number_of(&value) == SEAL && g_hash_table_add(sealed, key_of(address))) {
            fprintf(out, "K %08" PRIx32 "\n", address);
        }
        return;
    }
    if (!is_marked || told >= MOST_ACCESSES || !is_target(address)) {
        return;
    }
    told++;
    value = qemu_plugin_mem_get_value(info);
    fprintf(out, "%c %" PRIu32 " %" PRIu32 " %08" PRIx32 " %08" PRIx32 " %u %" PRIx64 "\n", is_store ? 'S' : 'L', attack, shot, pc, address,
            bytes_of(&value), number_of(&value));
}

static void accesses(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    const struct place *place = data;
    qemu_plugin_mem_value value;

    (void)vcpu;
    if ((place->pc & SECURE_BIT) != 0) {
        secure_access(place->pc, info, (uint32_t)address);
    } else if ((address == mark_address || address == mark_address + 4U) && qemu_plugin_mem_is_store(info)) {
        value = qemu_plugin_mem_get_value(info);
        take_mark((uint32_t)address, (uint32_t)number_of(&value));
    }
}

static void translated(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        struct place *place = g_new0(struct place, 1);

        place->pc = (uint32_t)qemu_plugin_insn_vaddr(instruction);
        place->size = (uint32_t)qemu_plugin_insn_size(instruction);
        qemu_plugin_insn_data(instruction, &place->opcode, place->size);
        if (i == 0) {
            qemu_plugin_register_vcpu_tb_exec_cb(block, block_runs, QEMU_PLUGIN_CB_R_REGS, place);
        }
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, instruction_runs, QEMU_PLUGIN_CB_NO_REGS, place);
        qemu_plugin_register_vcpu_mem_cb(instruction, accesses, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, place);
    }
}

static void find_stacks(unsigned int vcpu)
{
    if (vcpu != 0) {
        return;
    }
    g_autoptr(GArray) registers = qemu_plugin_get_registers();

    psp = interface_register(registers, "psp_s");
    msp = interface_register(registers, "msp_s");
}

/* A machine without a timer that wakes it makes no more progress: instructions pass at once where one is due. */
static void *watch_sleep(void *data)
{
    uint64_t before = 0;
    int turns = 0;

    (void)data;
    for (;;) {
        g_usleep(TURN_US);
        bool sleeps = last.opcode == 0xBF30U || last.opcode == 0xBF20U;

        turns = sleeps && executed == before ? turns + 1 : 0;
        before = executed;
        if (turns >= ASLEEP_TURNS) {
            end("asleep", last.pc);
        }
    }
    return NULL;
}

static void finish(void)
{
    fflush(out);
}

static bool take_option(const char *option)
{
    const char *value = strchr(option, '=');
    uint32_t number = value == NULL ? 0 : (uint32_t)strtoul(value + 1, NULL, 0);

    if (g_str_has_prefix(option, "out=")) {
        out = fopen(value + 1, "w");
    } else if (g_str_has_prefix(option, "mark=")) {
        mark_address = number;
    } else if (g_str_has_prefix(option, "limit=")) {
        limit = number;
    } else if (g_str_has_prefix(option, "handler=") && handler_count < MOST_LISTED) {
        handlers[handler_count++] = number;
    } else if (g_str_has_prefix(option, "target=") && target_count < MOST_LISTED) {
        const char *dash = strchr(value, '-');

        targets[target_count++] = (struct range) { number, dash == NULL ? number : (uint32_t)strtoul(dash + 1, NULL, 0) };
    } else {
        return false;
    }
    return true;
}

int interface_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!take_option(argv[i])) {
            fprintf(stderr, "latlab-witness: %s means nothing here, or there are too many of it\n", argv[i]);
            return 1;
        }
    }
    if (out == NULL) {
        fprintf(stderr, "latlab-witness: out= names no file that can be written\n");
        return 1;
    }
    left_places = g_hash_table_new(g_direct_hash, g_direct_equal);
    entered = g_hash_table_new(g_direct_hash, g_direct_equal);
    sealed = g_hash_table_new(g_direct_hash, g_direct_equal);
    interface_on_core(id, find_stacks);
    interface_on_block(id, translated);
    interface_at_exit(id, finish);
    g_thread_unref(g_thread_new("witness", watch_sleep, NULL));
    return 0;
}
