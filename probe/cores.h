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

#include "core.h"
#include "qemu_interface.h"

#define CORES_MAX 512

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

bool cores_are_inline(void);
qemu_plugin_u64 cores_inline_count(void);
qemu_plugin_u64 cores_inline_level(void);

/* What a core that need not be called about is compared with where it enters this block. */
static inline uint32_t cores_expected(const struct fragment *block)
{
    return block->level | (block->is_looked_at ? WATCHED_LOOK : 0);
}

#endif
