/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe: a plugin of QEMU that writes down every change of world of every core. Nothing here changes what the machine does. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cores.h"
#include "fragment.h"
#include "opcodes.h"
#include "options.h"
#include "qemu_interface.h"
#include "registers.h"
#include "stream.h"
#include "world.h"

#define BLOCK_CODE_MAX 8192
#define FLUSH_AFTER_NS 100000000LL
#define NS_PER_S 1000000000LL
#define FORMAT_VERSION 1
#define EXPORTED __attribute__((visibility("default")))
/* The most instructions between two sleeps of a parked core. */
#define PARKED_INSTRUCTIONS 64

struct stream_header {
    char magic[8];
    uint16_t version;
    uint16_t bytes;
    uint16_t arch;
    uint16_t functions;
    uint32_t cores;
    uint32_t interface;
};

extern EXPORTED int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = QEMU_INTERFACE_VERSION;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct options options;
static struct stream stream;
static struct fragment_table *fragments;
static enum arch arch;
static FILE *file;
static uint32_t machine_cores;
static bool is_started;

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

static void put_profile(struct core *core)
{
    size_t bytes = core->profile != NULL ? profile_fill_record(core->profile) : 0;

    if (bytes > 0) {
        put(RECORD_PROFILE, core->number, &core->profile->record, bytes);
        profile_forget(core->profile);
    }
}

/* A core that sleeps at one place again and again, as a parked one does, makes one pair of records. */
static void put_wake(struct core *core)
{
    uint64_t body[] = { core->wake_instructions, core->wake_machine, core->wake_address, core->sleeps };

    if (core->sleeps > 0) {
        core->sleeps = 0;
        put(RECORD_WAKE, core->number, body, sizeof(body));
    }
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
    put_profile(core);
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

        put_crossing(core, fragment->address, to);
        core->world = to;
        core->level = fragment->level;
        core->is_measured = options.functions && world_is_measured(arch, to);
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

static void count(struct core *core, const struct fragment *fragment)
{
    *core->instructions += fragment->instructions;
    if (core->is_measured) {
        profile_note(core->profile, fragment->number, fragment->instructions);
    }
}

void probe_block_entered(unsigned int vcpu, void *data, void *key)
{
    const struct fragment *fragment = data;
    struct core *core = core_here(key);

    (void)vcpu;
    if (core->level != fragment->level || core->is_asleep) {
        changed(core, fragment);
    }
    count(core, fragment);
}

/* One core only: the count is kept by an operation of QEMU's own, and this is called at a change alone. */
void probe_block_changed(unsigned int vcpu, void *data, void *key)
{
    (void)vcpu;
    changed(core_here(key), data);
}

/* Later fragments of a block: its core is the one that entered it. */
static void fragment_entered(unsigned int vcpu, void *data)
{
    (void)vcpu;
    count(cores_mine, data);
}

/* It looked at something and went back to sleep. A lock that is taken twice sleeps at one place as well, with work in between. */
static bool is_parked(const struct core *core, uint64_t address)
{
    if (core->sleeps == 0 || core->sleep_address != address) {
        return false;
    }
    return !world_is_measured(arch, core->world) || *core->instructions - core->wake_instructions <= PARKED_INSTRUCTIONS;
}

static void sleeps(uint64_t address, enum sleep how)
{
    struct core *core = cores_mine;
    uint64_t body[] = { *core->instructions, cores_total(), address, core->world | (uint64_t)how << 8 };

    if (is_parked(core, address)) {
        core->sleeps++;
        pthread_mutex_lock(&lock);
        flush_when_due();
        pthread_mutex_unlock(&lock);
        if (core->profile != NULL) {
            profile_forget(core->profile);
        }
    } else {
        put_wake(core);
        put_profile(core);
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
    body.world = fragment->level;
    body.code_bytes = fragment->code_bytes;
    memcpy(body.code, fragment->code, fragment->code_bytes);
    stream_put(&stream, RECORD_FRAGMENT, 0, &body, sizeof(body) - sizeof(body.code) + fragment->code_bytes);
}

static struct fragment *fragment_for(struct fragment wanted, bool is_measured)
{
    struct fragment *fragment;
    bool is_new;

    pthread_mutex_lock(&lock);
    fragment = fragment_of(fragments, wanted, &is_new);
    if (is_measured && fragment->number == FRAGMENT_UNNUMBERED) {
        fragment_give_number(fragments, fragment);
        put_fragment(fragment);
    }
    pthread_mutex_unlock(&lock);
    return fragment;
}

static void count_inline(struct qemu_plugin_tb *block, struct qemu_plugin_insn *first, const struct fragment *fragment)
{
    if (block != NULL) {
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64, cores_inline_count(),
                                                          fragment->instructions);
        return;
    }
    qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(first, QEMU_PLUGIN_INLINE_ADD_U64, cores_inline_count(), fragment->instructions);
}

/* Asks QEMU to tell of each run of the fragment. `block` is its block where it is the first of one, else NULL. */
static void watch(struct qemu_plugin_tb *block, struct qemu_plugin_insn *first, struct fragment *fragment, bool is_measured)
{
    if (cores_are_inline() && !is_measured) {
        if (block != NULL) {
            qemu_plugin_register_vcpu_tb_exec_cond_cb(block, probe_block_changed_here, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
                                                      cores_inline_level(), fragment->level, fragment);
        }
        count_inline(block, first, fragment);
        return;
    }
    if (block != NULL) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, probe_block_entered_here, QEMU_PLUGIN_CB_R_REGS, fragment);
        return;
    }
    qemu_plugin_register_vcpu_insn_exec_cb(first, fragment_entered, QEMU_PLUGIN_CB_NO_REGS, fragment);
}

static struct opcode opcode_of(const struct qemu_plugin_insn *instruction)
{
    struct opcode opcode = { .bytes = qemu_plugin_insn_size(instruction) };

    qemu_plugin_insn_data(instruction, &opcode.bits, sizeof(opcode.bits));
    return opcode;
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

/* Cuts the block into fragments: one ends where the block may end before its own end. */
static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(block);
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(block, 0);
    uint8_t code[BLOCK_CODE_MAX];
    struct fragment wanted = { .address = qemu_plugin_insn_vaddr(first), .code = code };
    bool is_aarch32, is_measured, is_first = true;

    (void)id;
    wanted.level = registers_level(wanted.address, &is_aarch32);
    is_measured = options.functions && world_is_measured(arch, registers_world(wanted.level));
    for (size_t i = 0; i < count_of_block; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        struct opcode opcode = opcode_of(instruction);
        enum sleep how = opcode_sleep(arch, is_aarch32, opcode);

        wanted.instructions++;
        if (wanted.code_bytes + opcode.bytes <= sizeof(code)) {
            wanted.code_bytes += (uint32_t)qemu_plugin_insn_data(instruction, code + wanted.code_bytes, opcode.bytes);
        }
        if (i + 1 == count_of_block || opcode_may_leave(arch, is_aarch32, opcode)) {
            watch(is_first ? block : NULL, first, fragment_for(wanted, is_measured), is_measured);
            is_first = false;
            if (i + 1 < count_of_block) {
                first = qemu_plugin_tb_get_insn(block, i + 1);
                wanted = (struct fragment) { .address = qemu_plugin_insn_vaddr(first), .level = wanted.level, .code = code };
            }
        }
        watch_sleep(instruction, how);
    }
}

static void core_made(qemu_plugin_id_t id, unsigned int vcpu)
{
    struct stream_header header = {
        .magic = "LLPROBE",
        .version = FORMAT_VERSION,
        .bytes = sizeof(header),
        .cores = machine_cores,
        .interface = QEMU_INTERFACE_VERSION,
        .functions = options.functions,
    };

    pthread_mutex_lock(&lock);
    if (!is_started && registers_find(&arch)) {
        is_started = true;
        header.arch = (uint16_t)arch;
        stream_open(&stream, file, options.limit_bytes, &header, sizeof(header));
        cores_start(arch == ARCH_ARMV8M ? 1 : machine_cores, vcpu);
        qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    }
    pthread_mutex_unlock(&lock);
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    pthread_mutex_lock(&lock);
    if (!is_started) {
        fprintf(stderr, "latlab probe: this machine's processor has none of the registers that tell its world; nothing was seen\n");
    } else if (!stream_close(&stream)) {
        fprintf(stderr, "latlab probe: writing to %s failed (%s); %llu records were lost\n", options.out, strerror(stream.error),
                (unsigned long long)stream.lost);
    } else if (stream.lost > 0) {
        fprintf(stderr, "latlab probe: %s reached its limit of %llu bytes; %llu records were lost\n", options.out,
                (unsigned long long)options.limit_bytes, (unsigned long long)stream.lost);
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
    fragments = fragment_table_new();
    qemu_plugin_register_vcpu_init_cb(id, core_made);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
