/* SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

struct inline_state {
    uint64_t instructions;
    uint64_t level;
};

__thread struct core *cores_mine;
static struct core cores[CORES_MAX];
static uint32_t core_count, expected;
static struct qemu_plugin_scoreboard *score;
static struct inline_state *inline_state;

void cores_start(uint32_t machine_cores, unsigned int vcpu, bool may_inline)
{
    expected = machine_cores;
    if (machine_cores > 1 || !may_inline) {
        return;
    }
    score = qemu_plugin_scoreboard_new(sizeof(struct inline_state));
    inline_state = qemu_plugin_scoreboard_find(score, vcpu);
    inline_state->level = WATCHED_NOTHING;
}

struct core *cores_find(void *key, bool has_functions, bool *is_new)
{
    struct core *core = &cores[core_count];

    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i].key == key) {
            return &cores[i];
        }
    }
    if (core_count == expected) {
        fprintf(stderr, "latlab probe: more cores run than the %u of this machine; this QEMU keeps its core in another register\n",
                expected);
        abort();
    }
    *core = (struct core) { .key = key, .number = core_count, .level = WATCHED_NOTHING, .world = WORLD_NONE, .watched = WATCHED_NOTHING };
    core->instructions = inline_state != NULL ? &inline_state->instructions : &core->own_instructions;
    core->path = has_functions ? g_new0(struct path, 1) : NULL;
    core->profile = has_functions ? g_new0(struct profile, 1) : NULL;
    core_count++;
    *is_new = true;
    return core;
}

void cores_each(void (*called)(struct core *core))
{
    for (uint32_t i = 0; i < core_count; i++) {
        called(&cores[i]);
    }
}

uint64_t cores_total(void)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < core_count; i++) {
        total += *cores[i].instructions;
    }
    return total;
}

bool cores_are_inline(void)
{
    return inline_state != NULL;
}

qemu_plugin_u64 cores_inline_count(void)
{
    return (qemu_plugin_u64) { score, offsetof(struct inline_state, instructions) };
}

qemu_plugin_u64 cores_inline_level(void)
{
    return (qemu_plugin_u64) { score, offsetof(struct inline_state, level) };
}

void cores_watch(struct core *core)
{
    core->watched = core->is_asleep || core->mask_site != NULL ? WATCHED_NOTHING : core->level | (core->is_measured ? WATCHED_MEASURED : 0);
    if (inline_state != NULL) {
        inline_state->level = core->watched;
    }
}
