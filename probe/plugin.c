/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe: a plugin of QEMU that writes down every change of world of every core. Nothing here changes what the machine does. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "contexts.h"
#include "cores.h"
#include "ending.h"
#include "fragment.h"
#include "naps.h"
#include "opcodes.h"
#include "options.h"
#include "qemu_interface.h"
#include "registers.h"
#include "shared.h"
#include "stream.h"
#include "turns.h"
#include "world.h"

#define BLOCK_CODE_MAX 8192
#define BLOCK_STRETCHES_MAX 1024
#define A64_VECTOR_BYTES 0x80
#define FLUSH_AFTER_NS 100000000LL
#define NS_PER_S 1000000000LL
#define FORMAT_VERSION 2
#define FORMAT_VERSION_OF_CONTEXTS 3
#define CONTEXT_SHIFT 16
#define HEADER_FUNCTIONS 1
#define HEADER_MASKED 2
#define HEADER_CONTEXTS 4
#define EXPORTED __attribute__((visibility("default")))
/* The most instructions between two sleeps of a parked core. */
#define PARKED_INSTRUCTIONS 64

struct stream_header {
    char magic[8];
    uint16_t version;
    uint16_t bytes;
    uint16_t arch;
    uint16_t wanted;
    uint32_t cores;
    uint32_t interface;
};

/* A stretch of a block that runs to its end once it is entered. */
struct stretch {
    struct qemu_plugin_insn *first;
    uint32_t instructions, code_bytes;
    const uint8_t *code;
};

/* A block that QEMU translates. */
struct block {
    uint32_t level, instructions, code_bytes;
    bool is_aarch32, is_measured, may_sleep, may_mask;
    size_t count;
    struct stretch stretches[BLOCK_STRETCHES_MAX];
    uint8_t code[BLOCK_CODE_MAX];
};

/* An instruction that may change which interrupts are taken; `behind` is the one that follows, 0 of a return. */
struct mask_site {
    uint64_t address, behind;
    struct fragment *block; /* that it was last translated in */
};

enum counting { COUNTING_UNDECIDED, COUNTING_INLINE, COUNTING_IN_TURNS, COUNTING_APART };

extern EXPORTED int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = QEMU_INTERFACE_VERSION;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct options options;
static struct stream stream;
static struct fragment_table *fragments;
static enum arch arch;
static FILE *file;
static struct masked_table *masked_table;
static GHashTable *mask_sites;
static struct fragment_table *site_blocks;
static GPtrArray *edges; /* blocks in which masked stretches began or ended */
static uint32_t machine_cores;
static bool is_started;
static const char *refusal; /* of this machine's processor */
static char target[32];     /* what QEMU calls it */
static enum counting counting;

/* So that a reader sees what came, however little comes. */
static void flush_when_due(void)
{
    static long long last_ns;
    struct timespec now;
    long long now_ns;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    now_ns = (long long)now.tv_sec * NS_PER_S + now.tv_nsec;
    if (now_ns - last_ns > FLUSH_AFTER_NS) {
        last_ns = now_ns;
        stream_flush(&stream);
    }
}

static void put(enum record_kind kind, uint32_t core, const void *body, size_t bytes)
{
    pthread_mutex_lock(&lock);
    stream_put(&stream, kind, core, body, bytes);
    flush_when_due();
    pthread_mutex_unlock(&lock);
}

static void forget_ran(struct core *core)
{
    core->running = NULL;
    if (core->path != NULL) {
        path_forget(core->path);
        profile_forget(core->profile);
    }
}

static void put_profile(enum record_kind kind, uint32_t core, struct profile *profile)
{
    size_t bytes;

    while (profile != NULL && (bytes = profile_next_record(profile)) > 0) {
        put(kind, core, &profile->record, bytes);
    }
}

/* What ran since the last change: its path, and behind that what found no room in it. */
static void put_ran(struct core *core)
{
    uint32_t steps;

    contexts_settle(core);
    steps = core->path != NULL ? path_finish(core->path) : 0;
    for (uint32_t i = 0; i < steps; i += PATH_RECORD_STEPS) {
        uint32_t count = steps - i < PATH_RECORD_STEPS ? steps - i : PATH_RECORD_STEPS;

        put(RECORD_PATH, core->number, &core->path->steps[i], count * sizeof(core->path->steps[0]));
    }
    put_profile(RECORD_PROFILE, core->number, core->profile);
    forget_ran(core);
}

/* A core that sleeps at one place again and again, as a parked one does, makes one pair of records. */
static void put_wake(struct core *core)
{
    uint64_t body[] = { core->wake_instructions, core->wake_machine, core->wake_address, core->sleeps };

    if (core->sleeps == 0) {
        return;
    }
    core->sleeps = 0;
    if (core->naps != NULL) {
        put_profile(RECORD_NAPS, core->number, core->naps);
        profile_forget(core->naps);
    }
    put(RECORD_WAKE, core->number, body, sizeof(body));
}

static void put_crossing(struct core *core, uint64_t address, uint32_t to)
{
    struct {
        uint64_t instructions, machine, address;
        uint8_t from, to;
        uint16_t count;
        uint32_t zero;
        uint64_t registers[CROSSING_REGISTERS_MAX];
    } body = {
        .instructions = *core->instructions,
        .machine = cores_total(),
        .address = address,
        .from = (uint8_t)core->world,
        .to = (uint8_t)to,
    };

    put_wake(core);
    put_ran(core);
    body.count = (uint16_t)registers_of_crossing(core->world, to, body.registers);
    put(RECORD_CROSSING, core->number, &body, sizeof(body) - sizeof(body.registers) + body.count * sizeof(body.registers[0]));
}

static void wake(struct core *core, uint64_t address)
{
    core->is_asleep = false;
    core->wake_instructions = *core->instructions;
    core->wake_machine = cores_total();
    core->wake_address = address;
}

/* The core is in another world than in its last block, or was asleep. */
static void changed(struct core *core, const struct fragment *fragment)
{
    if (core->is_asleep) {
        wake(core, fragment->address);
    }
    if (core->level != fragment->level) {
        uint32_t to = registers_world(fragment->level);

        registers_doubt(core->world, to, fragment->address);
        put_crossing(core, fragment->address, to);
        core->world = to;
        core->level = fragment->level;
        core->is_measured = options.functions && world_is_measured(arch, to);
        core->context = options.contexts && core->is_measured ? probe_context(core) : 0;
    }
    cores_watch(core);
}

static struct core *core_here(void *key)
{
    bool is_new = false;
    struct core *core;

    if (cores_mine != NULL && cores_mine->key == key) {
        return cores_mine;
    }
    pthread_mutex_lock(&lock);
    core = cores_find(key, options.functions, &is_new);
    pthread_mutex_unlock(&lock);
    if (is_new) {
        uint64_t identity = registers_identity(core->number);

        put(RECORD_CORE, core->number, &identity, sizeof(identity));
    }
    cores_mine = core;
    return core;
}

static void put_fragment(const struct fragment *fragment)
{
    struct {
        uint64_t address;
        uint32_t number, instructions, world, code_bytes;
        uint8_t code[BLOCK_CODE_MAX];
    } body;

    body.address = fragment->address;
    body.number = fragment->number;
    body.instructions = fragment->instructions;
    body.world = fragment->level | fragment->context << CONTEXT_SHIFT;
    body.code_bytes = fragment->code_bytes;
    memcpy(body.code, fragment->code, fragment->code_bytes);
    stream_put(&stream, RECORD_FRAGMENT, 0, &body, sizeof(body) - sizeof(body.code) + fragment->code_bytes);
}

/* The lock is held. */
static void give_number(struct fragment *fragment)
{
    if (fragment->number == FRAGMENT_UNNUMBERED) {
        fragment_give_number(fragments, fragment);
        put_fragment(fragment);
    }
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
static void look_at_masks(struct core *core, uint64_t address, struct fragment *block, uint64_t instructions)
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

    pthread_mutex_lock(&lock);
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
    pthread_mutex_unlock(&lock);
    if (site != NULL) {
        core->mask_site = NULL;
        cores_watch(core);
    }
}

static void go_on(struct core *core, struct fragment *block)
{
    bool is_elsewhere = core->level != block->level || core->is_asleep;

    if (is_elsewhere) {
        changed(core, block);
    }
    if (options.masked && (is_elsewhere || core->mask_site != NULL || block->is_looked_at)) {
        look_at_masks(core, block->address, block, *core->instructions);
    }
}

struct core *probe_turn_changes(struct fragment *block, void *key)
{
    struct core *core = core_here(key);

    go_on(core, block);
    return core;
}

static struct fragment *fragment_for(struct fragment wanted, bool is_measured)
{
    struct fragment *fragment;
    bool is_new;

    pthread_mutex_lock(&lock);
    fragment = fragment_of(fragments, wanted, &is_new);
    if (is_measured) {
        give_number(fragment);
    }
    pthread_mutex_unlock(&lock);
    return fragment;
}

uint32_t probe_context(const struct core *core)
{
    return registers_context(core->level);
}

static struct fragment *known_in(struct fragment *fragment, uint32_t context)
{
    while (fragment != NULL && fragment->context != context) {
        fragment = __atomic_load_n(&fragment->elsewhere, __ATOMIC_ACQUIRE);
    }
    return fragment;
}

const struct fragment *probe_fragment_in(struct fragment *fragment, uint32_t context)
{
    struct fragment *found = known_in(fragment, context), wanted;

    if (found != NULL) {
        return found;
    }
    wanted = *fragment;
    wanted.context = context;
    found = fragment_for(wanted, true);
    pthread_mutex_lock(&lock);
    if (known_in(fragment, context) == NULL) {
        found->elsewhere = fragment->elsewhere;
        __atomic_store_n(&fragment->elsewhere, found, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t probe_number_of_stretch(struct fragment stretch)
{
    return fragment_for(stretch, true)->number;
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
        pthread_mutex_lock(&lock);
        give_number(fragment);
        pthread_mutex_unlock(&lock);
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
        wake(cores_mine, fragment->address);
        cores_watch(cores_mine);
    }
    count(cores_mine, fragment);
}

/* It looked at something and went back to sleep. A lock that is taken twice sleeps at one place as well, with work in between. */
static bool is_parked(const struct core *core, uint64_t address, uint64_t instructions)
{
    if (core->sleeps == 0 || core->sleep_address != address) {
        return false;
    }
    return !world_is_measured(arch, core->world) || instructions - core->wake_instructions <= PARKED_INSTRUCTIONS;
}

static void sleeps(uint64_t address, enum sleep how)
{
    struct core *core = cores_mine;
    uint64_t not_run = turns_not_run();
    uint64_t instructions = *core->instructions - not_run;
    uint64_t body[] = { instructions, cores_total() - not_run, address, core->world | (uint64_t)how << 8 };

    shared_left(core, instructions);
    if (is_parked(core, address, instructions)) {
        core->sleeps++;
        if (core->path != NULL) {
            naps_note(core, instructions - core->wake_instructions);
        }
        pthread_mutex_lock(&lock);
        flush_when_due();
        pthread_mutex_unlock(&lock);
        forget_ran(core);
    } else {
        put_wake(core);
        put_ran(core);
        put(RECORD_SLEEP, core->number, body, sizeof(body));
        core->sleeps = 1;
        core->sleep_address = address;
    }
    core->is_asleep = true;
    cores_watch(core);
}

static void waits_for_interrupt(unsigned int vcpu, void *data)
{
    (void)vcpu;
    sleeps((uint64_t)(uintptr_t)data, SLEEP_WFI);
}

static void waits_for_event(unsigned int vcpu, void *data)
{
    (void)vcpu;
    sleeps((uint64_t)(uintptr_t)data, SLEEP_WFE);
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

/* Cuts the block into stretches: one ends where the block may end before its own end. */
static void cut(const struct qemu_plugin_tb *tb, struct block *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);
    bool is_first = true;

    for (size_t i = 0; i < count_of_block; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        struct opcode opcode = { .bytes = qemu_plugin_insn_size(instruction) };
        struct stretch *stretch;

        qemu_plugin_insn_data(instruction, &opcode.bits, sizeof(opcode.bits));
        if (is_first && block->count < BLOCK_STRETCHES_MAX) {
            block->stretches[block->count++] = (struct stretch) { .first = instruction, .code = block->code + block->code_bytes };
        }
        stretch = &block->stretches[block->count - 1];
        stretch->instructions++;
        if (block->code_bytes + opcode.bytes <= sizeof(block->code)) {
            memcpy(block->code + block->code_bytes, &opcode.bits, opcode.bytes);
            block->code_bytes += (uint32_t)opcode.bytes;
            stretch->code_bytes += (uint32_t)opcode.bytes;
        }
        block->instructions++;
        block->may_mask |= opcode_may_mask(arch, block->is_aarch32, opcode);
        block->may_sleep |= opcode_sleep(arch, block->is_aarch32, opcode) != SLEEP_NONE;
        is_first = options.each || opcode_may_leave(arch, block->is_aarch32, opcode);
    }
}

/* An exception of AArch64 begins at one of its vectors, which are so far apart; elsewhere it may begin anywhere. */
static bool is_looked_at(const struct block *block)
{
    return options.masked && (arch != ARCH_AARCH64 || qemu_plugin_insn_vaddr(block->stretches[0].first) % A64_VECTOR_BYTES == 0);
}

static struct fragment *fragment_of_stretch(const struct block *block, const struct stretch *stretch)
{
    return fragment_for((struct fragment) { .address = qemu_plugin_insn_vaddr(stretch->first),
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
    return fragment_for((struct fragment) { .address = qemu_plugin_insn_vaddr(block->stretches[0].first),
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

static struct mask_site *mask_site_of(uint64_t address, struct opcode opcode, struct fragment *block)
{
    struct mask_site *site;

    pthread_mutex_lock(&lock);
    site = g_hash_table_lookup(mask_sites, &address);
    if (site == NULL) {
        site = g_new0(struct mask_site, 1);
        site->address = address;
        g_hash_table_insert(mask_sites, &site->address, site);
    }
    site->behind = opcode_returns(arch, opcode) ? 0 : address + opcode.bytes;
    site->block = block;
    pthread_mutex_unlock(&lock);
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
        look_at_masks(cores_mine, (uint64_t)(uintptr_t)data, NULL, *cores_mine->instructions - turns_not_run());
    }
}

static struct fragment *site_block_of(const struct block *block)
{
    struct fragment wanted = {
        .address = qemu_plugin_insn_vaddr(block->stretches[0].first),
        .instructions = block->instructions,
        .level = block->level,
        .is_aarch32 = block->is_aarch32,
        .code_bytes = block->code_bytes,
        .code = block->code,
    };
    struct fragment *found;
    bool is_new;

    pthread_mutex_lock(&lock);
    found = fragment_of(site_blocks, wanted, &is_new);
    pthread_mutex_unlock(&lock);
    return found;
}

/* In front of the operations that count, so that what is behind such an instruction is not counted yet. Sites live as long as QEMU. */
static void watch_masks(const struct qemu_plugin_tb *tb, const struct block *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);
    struct fragment *here = site_block_of(block);
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
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, masks_may_change, QEMU_PLUGIN_CB_NO_REGS,
                                                   mask_site_of(address, opcode, here));
        }
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
    return !options.apart && turns_are_taken(machine_cores) ? COUNTING_IN_TURNS : COUNTING_APART;
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    struct block block;

    (void)id;
    block.count = 0;
    block.instructions = 0;
    block.code_bytes = 0;
    block.may_sleep = false;
    block.may_mask = false;
    block.level = registers_level(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)), &block.is_aarch32);
    block.is_measured = options.functions && world_is_measured(arch, registers_world(block.level));
    cut(tb, &block);
    pthread_mutex_lock(&lock);
    if (counting == COUNTING_UNDECIDED) {
        counting = way_to_count();
        ending_watch();
    }
    pthread_mutex_unlock(&lock);
    if (options.masked && block.may_mask) {
        watch_masks(tb, &block);
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

static void core_made(qemu_plugin_id_t id, unsigned int vcpu)
{
    struct stream_header header = {
        .magic = "LLPROBE",
        .version = options.contexts ? FORMAT_VERSION_OF_CONTEXTS : FORMAT_VERSION,
        .bytes = sizeof(header),
        .cores = machine_cores,
        .interface = QEMU_INTERFACE_VERSION,
        .wanted = (uint16_t)((options.functions ? HEADER_FUNCTIONS : 0) | (options.masked ? HEADER_MASKED : 0) | (options.contexts ? HEADER_CONTEXTS : 0)),
    };

    pthread_mutex_lock(&lock);
    turns_core_made();
    if (!is_started) {
        refusal = registers_find(&arch);
    }
    if (!is_started && refusal == NULL) {
        is_started = true;
        header.arch = (uint16_t)arch;
        stream_open(&stream, file, options.limit_bytes, &header, sizeof(header));
        cores_start(arch == ARCH_ARMV8M ? 1 : machine_cores, vcpu, !options.apart);
        qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    }
    pthread_mutex_unlock(&lock);
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
    stream_put(&stream, RECORD_MASKED, entry->core, &body,
               sizeof(body) - sizeof(body.worlds) + body.count_of_worlds * sizeof(body.worlds[0]));
}

/* A second time where it was measured, with a number of its own: the first may have been left out. */
static void put_edge(void *item, void *unused)
{
    struct fragment *edge = item;

    (void)unused;
    edge->number = FRAGMENT_UNNUMBERED;
    give_number(edge);
}

static void finish_core(struct core *core)
{
    masked_finish(&core->masked, masked_table, ending_was_asked() ? *core->instructions - turns_not_run_of(core) : core->masked.changed_at);
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    pthread_mutex_lock(&lock);
    if (is_started && options.masked) {
        cores_each(finish_core);
        stream_keep(&stream, ending_was_asked());
        g_ptr_array_foreach(edges, put_edge, NULL);
        masked_each(masked_table, put_masked);
    }
    if (refusal != NULL) {
        fprintf(stderr, "latlab probe: this machine's processor (%s) %s; nothing was seen\n", target, refusal);
    } else if (!is_started) {
        /* QEMU made no processor, and says itself why. */
    } else if (!stream_close(&stream, options.masked || ending_was_asked())) {
        fprintf(stderr, "latlab probe: writing to %s failed (%s); %llu records were lost\n", options.out, strerror(stream.error),
                (unsigned long long)stream.lost);
    } else if (stream.lost > 0) {
        fprintf(stderr, "latlab probe: %s reached its limit of %llu bytes; %llu records were lost\n", options.out,
                (unsigned long long)options.limit_bytes, (unsigned long long)stream.lost);
    }
    if (registers_doubts() != NULL) {
        fprintf(stderr, "latlab probe: %s\n", registers_doubts());
    }
    is_started = false;
    pthread_mutex_unlock(&lock);
}

static int refuse(const char *sentence)
{
    fprintf(stderr, "latlab probe: %s\n", sentence);
    return -1;
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    char error[OPTION_ERROR_BYTES];

    if (info->version.cur != QEMU_INTERFACE_VERSION) {
        snprintf(error, sizeof(error), "this QEMU offers version %d of its plugin interface, the probe knows version %d; use QEMU 10.0",
                 info->version.cur, QEMU_INTERFACE_VERSION);
        return refuse(error);
    }
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
    machine_cores = (uint32_t)info->system.smp_vcpus;
    /* A core that is plugged in later may move what QEMU's operations write to. */
    options.apart |= info->system.max_vcpus != info->system.smp_vcpus;
    fragments = fragment_table_new();
    masked_table = masked_table_new();
    mask_sites = g_hash_table_new(g_int64_hash, g_int64_equal);
    site_blocks = fragment_table_new();
    edges = g_ptr_array_new();
    qemu_plugin_register_vcpu_init_cb(id, core_made);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
