/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores of the machine, and which of them runs.
 *
 * QEMU 10.0 names the wrong core to a callback where the cores take turns on one thread: the name is that of the core that translated the
 * block. What is right is the pointer to the running core's state that QEMU's generated code keeps in one register of the host while it
 * calls; a few instructions of assembly hand it on as a key. */
#ifndef PROBE_CORES_H
#define PROBE_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "fragment.h"
#include "masked.h"
#include "path.h"
#include "profile.h"
#include "qemu_interface.h"

#define CORES_MAX 512
#define WATCHED_MEASURED 0x100U
#define WATCHED_LOOK 0x200U
#define WATCHED_NOTHING UINT32_MAX

struct mask_site; /* mask_sites.c's */

struct core {
    void *key;
    uint32_t number; /* in the order of the first instruction */
    uint32_t level; /* of the last block */
    uint32_t world;
    uint32_t watched; /* level, and WATCHED_MEASURED where it is measured; WATCHED_NOTHING in sleep */
    bool is_measured; /* its instructions are counted by fragment now */
    bool is_asleep;
    uint64_t *instructions;
    uint64_t own_instructions;
    uint64_t sleep_address;
    uint64_t sleeps; /* at sleep_address, since the last record of a change; 0: none */
    uint64_t wake_instructions, wake_machine, wake_address, wake_timer; /* of the last wake-up */
    const struct fragment *shared; /* the block that it is in, where that is measured now and was not translated so; else NULL */
    uint64_t shared_from; /* its count when it entered that block */
    struct masked masked;
    const struct mask_site *mask_site; /* the instruction that ran last, where it may have changed which interrupts are taken; else NULL */
    uint32_t context; /* of what it runs, context.h; 0 where that is not asked for */
    bool is_context_old, has_started;
    uint64_t start; /* where it ran measured code first */
    struct fragment *running; /* not in its path yet; else NULL */
    uint32_t running_context;
    struct path *path; /* NULL where functions are not counted */
    struct profile *profile; /* what the path has no room for; NULL with it */
    struct profile *naps;    /* what ran between the sleeps at sleep_address; NULL where nothing measured ever did */
};

/* Notes one run of a fragment of the measured world that the core is in. */
static inline void core_ran(struct core *core, uint32_t fragment, uint32_t instructions)
{
    if (!path_note(core->path, fragment)) {
        profile_note(core->profile, fragment, instructions);
    }
}

/* The core that entered a block last on this thread. */
extern __thread struct core *cores_mine __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Defines a function `from` that goes on in `to` with the key as its third argument. */
#if defined(__x86_64__)
#define HAND_ON(from, to) \
    __asm__(".text\n.globl " from "\n.hidden " from "\n.type " from ", @function\n" from ":\n\tendbr64\n\tmov %rbp, %rdx\n\tjmp " to "\n")
#elif defined(__aarch64__)
#define HAND_ON(from, to) \
    __asm__(".text\n.globl " from "\n.hidden " from "\n.type " from ", %function\n" from ":\n\thint #34\n\tmov x2, x19\n\tb " to "\n")
#else
#error "which register of this host holds QEMU's core is not known"
#endif

/* Before the first core runs; `vcpu` is the one that calls. A single core's counts are kept by QEMU's inline operations if `may_inline`. */
void cores_start(uint32_t machine_cores, unsigned int vcpu, bool may_inline);

/* The core with this key, made where it was not there. One thread at a time. */
struct core *cores_find(void *key, bool has_functions, bool *is_new);

/* Calls for each core that ran. */
void cores_each(void (*called)(struct core *core));

/* Instructions of all cores so far. */
uint64_t cores_total(void);

bool cores_are_inline(void);
qemu_plugin_u64 cores_inline_count(void);
qemu_plugin_u64 cores_inline_level(void);

/* What a core that need not be called about is compared with where it enters this block. */
static inline uint32_t cores_expected(const struct fragment *block)
{
    return block->level | (block->is_looked_at ? WATCHED_LOOK : 0);
}

/* After a change of the core's level, sleep or mask_site: comparisons at a block's entry are with what is said here. */
void cores_watch(struct core *core);

#endif
