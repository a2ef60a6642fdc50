/* SPDX-License-Identifier: BSD-3-Clause */
/* A block that QEMU translates, and where it may be left. */
#ifndef PROBE_BLOCK_H
#define PROBE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fragment.h"
#include "qemu_interface.h"
#include "world.h"

#define BLOCK_STRETCHES_MAX 1024

/* A stretch of a block that runs to its end once it is entered. */
struct stretch {
    struct qemu_plugin_insn *first;
    uint32_t instructions, code_bytes;
    const uint8_t *code;
};

struct block {
    uint32_t level, instructions, code_bytes;
    bool is_aarch32, is_measured, may_sleep, may_mask;
    size_t count;
    struct stretch stretches[BLOCK_STRETCHES_MAX];
    uint8_t code[FRAGMENT_CODE_MAX];
};

/* Cuts the block into stretches: one ends where the block may end before its own end, with `each` behind every instruction. `level`,
 * `is_aarch32` and `is_measured` are the caller's. */
void block_cut(const struct qemu_plugin_tb *tb, struct block *block, enum arch arch, bool each);

/* Where its first instruction is. */
uint64_t block_address(const struct block *block);

#endif
