/* SPDX-License-Identifier: BSD-3-Clause */
#include "turns.h"

#include <pthread.h>
#include <string.h>

#include "contexts.h"
#include "shared.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define LINE_BYTES 64

HAND_ON("probe_turn_here", "probe_turn");
HAND_ON("probe_measured_turn_here", "probe_measured_turn");

struct turn {
    struct core *core; /* that entered the last block */
    uint8_t *left; /* of that block, a uint64_t */
};

/* QEMU 10.0 multiplies the number that it has for the core by the size of a scoreboard's element each time that it uses it. Elements of
 * one byte keep it right. So what belongs to core N is here at byte N, in memory of ours that has room behind the last. */
static uint8_t cells[CORES_MAX + sizeof(uint64_t)] __attribute__((aligned(LINE_BYTES)));
static struct qemu_plugin_scoreboard *score;
static struct core nobody = { .watched = WATCHED_NOTHING };
static struct turn turn = { .core = &nobody, .left = cells };
static struct core *(*changed)(struct fragment *block, void *key);
static uint32_t made;
static pthread_t thread;
static bool is_one_thread = true;

void turns_start(struct core *(*changes)(struct fragment *block, void *key))
{
    changed = changes;
}

void turns_core_made(void)
{
    if (made == 0) {
        thread = pthread_self();
    } else if (!pthread_equal(thread, pthread_self())) {
        is_one_thread = false;
    }
    made++;
}

bool turns_are_taken(uint32_t machine_cores)
{
    if (made != machine_cores || machine_cores < 2 || !is_one_thread) {
        return false;
    }
    if (score == NULL) {
        score = qemu_plugin_scoreboard_new(1);
    }
    return true;
}

qemu_plugin_u64 turns_left(void)
{
    uint8_t *start = qemu_plugin_scoreboard_find(score, 0);

    return (qemu_plugin_u64) { score, (size_t)((uintptr_t)cells - (uintptr_t)start) };
}

uint64_t turns_not_run(void)
{
    uint64_t left;

    memcpy(&left, turn.left, sizeof(left));
    return left;
}

uint64_t turns_not_run_of(const struct core *core)
{
    return turn.core == core ? turns_not_run() : 0;
}

/* The core that goes on in `block`, all counts up to here being right. */
static inline struct core *enter(unsigned int vcpu, struct fragment *block, void *key, uint32_t watched)
{
    struct core *core = turn.core;
    uint64_t left = turns_not_run();

    if (!LIKELY(left == 0)) {
        *core->instructions -= left;
        memset(turn.left, 0, sizeof(left));
    }
    if (!LIKELY(core->shared == NULL)) {
        shared_left(core, *core->instructions);
    }
    turn.left = cells + vcpu;
    if (LIKELY(core->key == key && core->watched == watched)) {
        return core;
    }
    core = changed(block, key);
    turn.core = core;
    return core;
}

void probe_turn(unsigned int vcpu, void *data, void *key)
{
    struct fragment *block = data;
    struct core *core = enter(vcpu, block, key, cores_expected(block));
    uint64_t left = block->left;

    if (!LIKELY(core->watched == block->level)) {
        shared_entered(core, block);
    }
    *core->instructions += block->instructions;
    memcpy(turn.left, &left, sizeof(left));
}

void probe_measured_turn(unsigned int vcpu, void *data, void *key)
{
    struct fragment *fragment = data;
    struct core *core = enter(vcpu, fragment, key, cores_expected(fragment) | WATCHED_MEASURED);

    *core->instructions += fragment->instructions;
    if (!core->is_measured) {
        return;
    }
    if (core->context != 0) {
        contexts_ran(core, fragment);
    } else {
        core_ran(core, fragment->number, fragment->instructions);
    }
}
