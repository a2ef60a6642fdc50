/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe: a plugin of QEMU that writes down every change of world of every core. Nothing here changes what the machine does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "changes.h"
#include "contexts.h"
#include "cores.h"
#include "ending.h"
#include "interface.h"
#include "known.h"
#include "mask_sites.h"
#include "opcodes.h"
#include "options.h"
#include "records.h"
#include "registers.h"
#include "shared.h"
#include "turns.h"
#include "world.h"

#define A64_VECTOR_BYTES 0x80
enum counting { COUNTING_UNDECIDED, COUNTING_INLINE, COUNTING_IN_TURNS, COUNTING_APART };

/* What QEMU is given to call; they add the key and go on in probe_block_entered() and probe_block_changed(). */
void probe_block_entered_here(unsigned int vcpu, void *data);
void probe_block_changed_here(unsigned int vcpu, void *data);

void probe_block_entered(unsigned int vcpu, void *data, void *key) __attribute__((visibility("hidden")));
void probe_block_changed(unsigned int vcpu, void *data, void *key) __attribute__((visibility("hidden")));

HAND_ON("probe_block_entered_here", "probe_block_entered");
HAND_ON("probe_block_changed_here", "probe_block_changed");

static qemu_plugin_id_t own_id;
static struct options options;
static enum arch arch;
static FILE *file;
static uint32_t smp_cores;
static bool is_started;
static const char *refusal; /* of this machine's processor */
static char target[32];     /* what QEMU calls it */
static enum counting counting;

static struct core *core_here(void *key)
{
    bool is_new = false;
    struct core *core;

    if (cores_mine != NULL && cores_mine->key == key) {
        return cores_mine;
    }
    records_lock();
    core = cores_find(key, options.functions, &is_new);
    records_unlock();
    if (is_new) {
        uint64_t identity = registers_identity(core->number);

        records_put(RECORD_CORE, core->number, &identity, sizeof(identity));
    }
    cores_mine = core;
    return core;
}

static void go_on(struct core *core, struct fragment *block)
{
    bool is_elsewhere = core->level != block->level || core->is_asleep;

    if (is_elsewhere) {
        changes_note(core, block);
    }
    if (options.masked && (is_elsewhere || core->mask_site != NULL || block->is_looked_at)) {
        mask_sites_look(core, block);
    }
}

static struct core *turn_changes(struct fragment *block, void *key)
{
    struct core *core = core_here(key);

    go_on(core, block);
    return core;
}

static void count(struct core *core, struct fragment *fragment)
{
    *core->instructions += fragment->instructions;
    if (!core->is_measured) {
        return;
    }
    if (core->context != 0) {
        contexts_ran(core, fragment);
        return;
    }
    if (fragment->number == FRAGMENT_UNNUMBERED) {
        known_give_number(fragment);
    }
    core_ran(core, fragment->number, fragment->instructions);
}

void probe_block_entered(unsigned int vcpu, void *data, void *key)
{
    struct fragment *fragment = data;
    struct core *core = core_here(key);

    (void)vcpu;
    shared_left(core, *core->instructions);
    go_on(core, fragment);
    count(core, fragment);
}

/* One core only: the count is kept by an operation of QEMU's own, and this is called at a change, and in a measured world at every block
 * that was not translated for one. */
void probe_block_changed(unsigned int vcpu, void *data, void *key)
{
    struct fragment *block = data;
    struct core *core = core_here(key);

    (void)vcpu;
    shared_left(core, *core->instructions);
    go_on(core, block);
    if (core->is_measured) {
        shared_entered(core, block);
    }
}

/* Later fragments of a block: its core is the one that entered it. Where cores run at the same time a WFE may stand inside of a block. */
static void fragment_entered(unsigned int vcpu, void *data)
{
    struct fragment *fragment = data;

    (void)vcpu;
    if (cores_mine->is_asleep) {
        changes_wake(cores_mine, fragment->address);
    }
    count(cores_mine, fragment);
}

static void waits_for_interrupt(unsigned int vcpu, void *data)
{
    (void)vcpu;
    changes_sleep(cores_mine, (uint64_t)(uintptr_t)data, SLEEP_WFI);
}

static void waits_for_event(unsigned int vcpu, void *data)
{
    (void)vcpu;
    changes_sleep(cores_mine, (uint64_t)(uintptr_t)data, SLEEP_WFE);
}

static void watch_sleep(struct qemu_plugin_insn *instruction, enum sleep how)
{
    void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);

    if (how == SLEEP_WFI) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, waits_for_interrupt, QEMU_PLUGIN_CB_NO_REGS, address);
    } else if (how == SLEEP_WFE) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, waits_for_event, QEMU_PLUGIN_CB_NO_REGS, address);
    }
}

/* An exception of AArch64 begins at one of its vectors, which are so far apart; elsewhere it may begin anywhere. */
static bool is_looked_at(const struct block *block)
{
    return options.masked && (arch != ARCH_AARCH64 || block_address(block) % A64_VECTOR_BYTES == 0);
}

static struct fragment *fragment_of_stretch(const struct block *block, const struct stretch *stretch)
{
    return known_fragment((struct fragment) { .address = qemu_plugin_insn_vaddr(stretch->first),
                                              .instructions = stretch->instructions,
                                              .level = block->level,
                                              .is_aarch32 = block->is_aarch32,
                                              .is_looked_at = stretch == block->stretches && is_looked_at(block),
                                              .code_bytes = stretch->code_bytes,
                                              .code = stretch->code },
                          block->is_measured && !options.contexts);
}

/* Asks QEMU to call at the start of each stretch. */
static void count_each(struct qemu_plugin_tb *tb, const struct block *block)
{
    qemu_plugin_vcpu_udata_cb_t entered = counting == COUNTING_IN_TURNS ? probe_measured_turn_here : probe_block_entered_here;

    qemu_plugin_register_vcpu_tb_exec_cb(tb, entered, QEMU_PLUGIN_CB_R_REGS, fragment_of_stretch(block, &block->stretches[0]));
    for (size_t i = 1; i < block->count; i++) {
        const struct stretch *stretch = &block->stretches[i];

        qemu_plugin_register_vcpu_insn_exec_cb(stretch->first, fragment_entered, QEMU_PLUGIN_CB_NO_REGS,
                                               fragment_of_stretch(block, stretch));
    }
}

/* The block as one fragment without a number; `left` are its instructions behind the first stretch. */
static struct fragment *fragment_of_block(const struct block *block, uint32_t left)
{
    return known_fragment((struct fragment) { .address = block_address(block),
                                              .instructions = block->instructions,
                                              .left = left,
                                              .level = block->level,
                                              .is_aarch32 = block->is_aarch32,
                                              .is_looked_at = is_looked_at(block),
                                              .code_bytes = block->code_bytes,
                                              .code = block->code },
                          false);
}

/* Asks QEMU to count by itself, and to call where the world is another. */
static void count_inline(struct qemu_plugin_tb *tb, const struct block *block)
{
    qemu_plugin_u64 instructions = cores_inline_count();

    struct fragment *fragment = fragment_of_block(block, 0);

    qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, probe_block_changed_here, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
                                              cores_inline_level(), cores_expected(fragment), fragment);
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, instructions, block->stretches[0].instructions);
    for (size_t i = 1; i < block->count; i++) {
        const struct stretch *stretch = &block->stretches[i];

        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(stretch->first, QEMU_PLUGIN_INLINE_ADD_U64, instructions, stretch->instructions);
    }
}

/* Asks QEMU to call where the block is entered, and to note how far it came. */
static void count_whole(struct qemu_plugin_tb *tb, const struct block *block)
{
    uint32_t left = block->instructions - block->stretches[0].instructions;

    qemu_plugin_register_vcpu_tb_exec_cb(tb, probe_turn_here, QEMU_PLUGIN_CB_R_REGS, fragment_of_block(block, left));
    for (size_t i = 1; i < block->count; i++) {
        const struct stretch *stretch = &block->stretches[i];

        left -= stretch->instructions;
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(stretch->first, QEMU_PLUGIN_INLINE_STORE_U64, turns_left(), left);
    }
}

/* Behind the operations that count, so that a sleep is seen with its own instruction counted. */
static void watch_sleeps(const struct qemu_plugin_tb *tb, const struct block *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);

    for (size_t i = 0; i < count_of_block; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        struct opcode opcode = { .bytes = qemu_plugin_insn_size(instruction) };

        qemu_plugin_insn_data(instruction, &opcode.bits, sizeof(opcode.bits));
        watch_sleep(instruction, opcode_sleep(arch, block->is_aarch32, opcode));
    }
}

static void switches(unsigned int vcpu, void *data)
{
    (void)vcpu;
    (void)data;
    cores_mine->is_context_old = true;
}

static void accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);

    (void)vcpu;
    (void)data;
    if (where != NULL && qemu_plugin_hwaddr_is_io(where)) {
        contexts_device(cores_mine);
    }
}

/* Behind the operations that count, so that the switching instruction itself is in the context before it. */
static void watch_contexts(const struct qemu_plugin_tb *tb, const struct block *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);

    for (size_t i = 0; i < count_of_block; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        struct opcode opcode = { .bytes = qemu_plugin_insn_size(instruction) };

        qemu_plugin_insn_data(instruction, &opcode.bits, sizeof(opcode.bits));
        qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        if (opcode_may_switch(arch, block->is_aarch32, opcode)) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, switches, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
    }
}

static enum counting way_to_count(void)
{
    if (cores_are_inline()) {
        return COUNTING_INLINE;
    }
    return !options.apart && turns_are_taken(smp_cores) ? COUNTING_IN_TURNS : COUNTING_APART;
}

static void block_translated(struct qemu_plugin_tb *tb)
{
    struct block block;

    block.level = registers_level(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)), &block.is_aarch32);
    block.is_measured = options.functions && world_is_measured(arch, registers_world(block.level));
    block_cut(tb, &block, arch, options.each);
    records_lock();
    if (counting == COUNTING_UNDECIDED) {
        counting = way_to_count();
        ending_watch();
    }
    records_unlock();
    if (options.masked && block.may_mask) {
        mask_sites_watch(tb, &block);
    }
    if (block.is_measured || counting == COUNTING_APART) {
        count_each(tb, &block);
    } else if (counting == COUNTING_INLINE) {
        count_inline(tb, &block);
    } else {
        count_whole(tb, &block);
    }
    if (options.contexts && block.is_measured) {
        watch_contexts(tb, &block);
    }
    if (block.may_sleep) {
        watch_sleeps(tb, &block);
    }
}

static void core_made(unsigned int vcpu)
{
    struct stream_header header = {
        .magic = STREAM_MAGIC,
        .version = STREAM_VERSION,
        .bytes = sizeof(header),
        .cores = smp_cores,
        .interface = (uint32_t)interface_version,
        .wanted = (uint16_t)((options.functions ? HEADER_FUNCTIONS : 0) | (options.masked ? HEADER_MASKED : 0) | (options.contexts ? HEADER_CONTEXTS : 0)),
    };

    records_lock();
    turns_core_made();
    if (!is_started) {
        refusal = registers_find(&arch);
    }
    if (!is_started && refusal == NULL) {
        is_started = true;
        header.arch = (uint16_t)arch;
        records_open(file, options.out, options.limit_bytes, &header, sizeof(header));
        changes_start(arch, options.functions, options.contexts);
        mask_sites_start(arch);
        cores_start(arch == ARCH_ARMV8M ? 1 : smp_cores, vcpu, !options.apart);
        interface_on_block(own_id, block_translated);
    }
    records_unlock();
}

static void core_stopped(struct core *core)
{
    changes_stopped(core, turns_not_run_of(core));
}

static void finish(void)
{
    if (is_started && ending_was_asked()) {
        cores_each(core_stopped);
    }
    records_lock();
    if (is_started && options.masked) {
        mask_sites_finish();
    }
    if (refusal != NULL) {
        fprintf(stderr, "latlab probe: this machine's processor (%s) %s; nothing was seen\n", target, refusal);
    } else if (is_started) {
        records_close(options.masked || ending_was_asked());
    } /* else QEMU made no processor, and says itself why. */
    if (registers_doubts() != NULL) {
        fprintf(stderr, "latlab probe: %s\n", registers_doubts());
    }
    is_started = false;
    records_unlock();
}

static int refuse(const char *sentence)
{
    fprintf(stderr, "latlab probe: %s\n", sentence);
    return -1;
}

int interface_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    char error[OPTION_ERROR_BYTES];

    snprintf(target, sizeof(target), "%s", info->target_name);
    if (!info->system_emulation) {
        return refuse("it watches machines, not programs; use qemu-system-...");
    }
    if (!options_parse(argc, argv, &options, error)) {
        return refuse(error);
    }
    if (info->system.smp_vcpus > CORES_MAX) {
        snprintf(error, sizeof(error), "%d cores are more than the %d that it can follow", info->system.smp_vcpus, CORES_MAX);
        return refuse(error);
    }
    file = fopen(options.out, "wb");
    if (file == NULL) {
        snprintf(error, sizeof(error), "%.120s cannot be written (%s)", options.out, strerror(errno));
        return refuse(error);
    }
    smp_cores = (uint32_t)info->system.smp_vcpus;
    /* A core that is plugged in later may move what QEMU's operations write to. */
    options.apart |= info->system.max_vcpus != info->system.smp_vcpus;
    known_start();
    turns_start(turn_changes);
    own_id = id;
    interface_on_core(id, core_made);
    interface_at_exit(id, finish);
    return 0;
}
