/* SPDX-License-Identifier: BSD-3-Clause */
#include "mask_sites.h"

#include <string.h>

#include "ending.h"
#include "known.h"
#include "masked.h"
#include "opcodes.h"
#include "records.h"
#include "registers.h"
#include "turns.h"

/* An instruction that may change which interrupts are taken; `behind` is the one that follows, 0 of a return. */
struct mask_site {
    uint64_t address, behind;
    struct fragment *block; /* that it was last translated in */
};

static enum arch arch;
static struct masked_table *masked_table;
static GHashTable *mask_sites;
static struct fragment_table *site_blocks;
static GPtrArray *edges; /* blocks in which masked stretches began or ended */

void mask_sites_start(enum arch machine)
{
    arch = machine;
    masked_table = masked_table_new();
    mask_sites = g_hash_table_new(g_int64_hash, g_int64_equal);
    site_blocks = fragment_table_new();
    edges = g_ptr_array_new();
}

/* Its code goes into the stream at the end: what is written now may be left out. The lock is held. */
static void mark_edge(struct fragment *block)
{
    if (!block->is_edge) {
        block->is_edge = true;
        g_ptr_array_add(edges, block);
    }
}

/* An exception right behind the instruction: what that did to the masks held for no instruction, yet who waited came in. */
static void look_back(struct core *core, struct masked_look look)
{
    if (registers_masks_before(core->level, look.address, &look.masks)) {
        look.address = core->mask_site->address;
        look.link = registers_link(false);
        if (masked_look_at(&core->masked, masked_table, &look)) {
            mark_edge(core->mask_site->block);
        }
    }
}

/* Not trapped, nor followed by an exception. */
static bool has_been_run(const struct mask_site *site, uint32_t level, uint64_t address)
{
    struct masks before;

    if (arch == ARCH_ARMV8M || site->behind == address) {
        return true;
    }
    return site->behind == 0 && !registers_masks_before(level, address, &before);
}

/* `block` is where the core goes on, NULL inside of one. What a trapped instruction would have done it has not. */
static void look_at(struct core *core, uint64_t address, struct fragment *block, uint64_t instructions)
{
    const struct mask_site *site = core->mask_site;
    bool has_run = site != NULL && has_been_run(site, core->level, address);
    bool is_interrupted = arch == ARCH_ARMV8M && site != NULL && site->behind != address;
    struct masked_look look = {
        .masks = registers_masks(core->level, block != NULL && block->is_aarch32),
        .world = core->world,
        .instructions = instructions,
        .address = has_run ? site->address : address,
        .read_trail = is_interrupted ? registers_trail_before : registers_trail,
    };

    records_lock();
    core->masked.core = core->number;
    if (!has_run && site != NULL) {
        look_back(core, look);
    }
    if (memcmp(&look.masks, &core->masked.masks, sizeof(look.masks)) != 0) {
        look.link = registers_link(is_interrupted);
    }
    if (masked_look_at(&core->masked, masked_table, &look)) {
        mark_edge(has_run ? site->block : block);
    }
    records_unlock();
    if (site != NULL) {
        core->mask_site = NULL;
        cores_watch(core);
    }
}

void mask_sites_look(struct core *core, struct fragment *block)
{
    look_at(core, block->address, block, *core->instructions);
}

static struct mask_site *site_of(uint64_t address, struct opcode opcode, struct fragment *block)
{
    struct mask_site *site;

    records_lock();
    site = g_hash_table_lookup(mask_sites, &address);
    if (site == NULL) {
        site = g_new0(struct mask_site, 1);
        site->address = address;
        g_hash_table_insert(mask_sites, &site->address, site);
    }
    site->behind = opcode_returns(arch, opcode) ? 0 : address + opcode.bytes;
    site->block = block;
    records_unlock();
    return site;
}

static void masks_may_change(unsigned int vcpu, void *data)
{
    (void)vcpu;
    cores_mine->mask_site = data;
    cores_watch(cores_mine);
}

/* Inside of a block, behind such an instruction. */
static void masks_may_have_changed(unsigned int vcpu, void *data)
{
    (void)vcpu;
    if (cores_mine->mask_site != NULL) {
        look_at(cores_mine, (uint64_t)(uintptr_t)data, NULL, *cores_mine->instructions - turns_not_run());
    }
}

static struct fragment *fragment_of_site(const struct block *block)
{
    struct fragment wanted = {
        .address = block_address(block),
        .instructions = block->instructions,
        .level = block->level,
        .is_aarch32 = block->is_aarch32,
        .code_bytes = block->code_bytes,
        .code = block->code,
    };
    struct fragment *found;
    bool is_new;

    records_lock();
    found = fragment_of(site_blocks, wanted, &is_new);
    records_unlock();
    return found;
}

void mask_sites_watch(const struct qemu_plugin_tb *tb, const struct block *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);
    struct fragment *here = fragment_of_site(block);
    bool is_behind = false;

    for (size_t i = 0; i < count_of_block; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        struct opcode opcode = { .bytes = qemu_plugin_insn_size(instruction) };
        uint64_t address = qemu_plugin_insn_vaddr(instruction);

        qemu_plugin_insn_data(instruction, &opcode.bits, sizeof(opcode.bits));
        if (is_behind) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, masks_may_have_changed, QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)address);
        }
        is_behind = opcode_may_mask(arch, block->is_aarch32, opcode);
        if (is_behind) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, masks_may_change, QEMU_PLUGIN_CB_NO_REGS, site_of(address, opcode, here));
        }
    }
}

static void put_masked(const struct masked_entry *entry)
{
    struct {
        uint8_t line, mask, begin_world, end_world;
        uint16_t edges, count_of_worlds;
        uint64_t count, instructions, longest, begin, link, end, trail[MASKED_TRAIL];
        uint64_t worlds[MASKED_WORLDS][3];
    } body = {
        .line = entry->key.line,
        .mask = entry->key.mask,
        .begin_world = entry->key.begin_world,
        .end_world = entry->key.end_world,
        .edges = (uint16_t)entry->key.edges,
        .count = entry->count,
        .instructions = entry->instructions,
        .longest = entry->longest,
        .begin = entry->key.begin,
        .link = entry->key.link,
        .end = entry->key.end,
    };

    memcpy(body.trail, entry->trail, sizeof(body.trail));
    for (uint32_t world = 0; world < MASKED_WORLDS; world++) {
        if (entry->worlds[world] > 0) {
            uint64_t *each = body.worlds[body.count_of_worlds++];

            each[0] = world;
            each[1] = entry->worlds[world];
            each[2] = entry->longest_worlds[world];
        }
    }
    records_put_locked(RECORD_MASKED, entry->core, &body,
                       sizeof(body) - sizeof(body.worlds) + body.count_of_worlds * sizeof(body.worlds[0]));
}

static void put_edge(void *edge, void *unused)
{
    (void)unused;
    known_tell_again(edge);
}

static void finish_core(struct core *core)
{
    masked_finish(&core->masked, masked_table, ending_was_asked() ? *core->instructions - turns_not_run_of(core) : core->masked.changed_at);
}

void mask_sites_finish(void)
{
    cores_each(finish_core);
    records_keep(ending_was_asked());
    g_ptr_array_foreach(edges, put_edge, NULL);
    masked_each(masked_table, put_masked);
}
