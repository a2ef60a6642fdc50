/* SPDX-License-Identifier: BSD-3-Clause */
#include "block.h"

#include <string.h>

#include "opcodes.h"

void block_cut(const struct qemu_plugin_tb *tb, struct block *block, enum arch arch, bool each)
{
    size_t count_of_block = qemu_plugin_tb_n_insns(tb);
    bool is_first = true;

    block->count = 0;
    block->instructions = 0;
    block->code_bytes = 0;
    block->may_sleep = false;
    block->may_mask = false;
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
        is_first = each || opcode_may_leave(arch, block->is_aarch32, opcode);
    }
}

uint64_t block_address(const struct block *block)
{
    return qemu_plugin_insn_vaddr(block->stretches[0].first);
}
