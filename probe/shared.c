/* SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

#include <string.h>

#include "context.h"
#include "contexts.h"
#include "known.h"
#include "opcodes.h"

#define A64_BYTES 4U

uint32_t shared_stretch(const uint8_t *code, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++) {
        struct opcode opcode = { .bytes = A64_BYTES };

        memcpy(&opcode.bits, code + i * A64_BYTES, A64_BYTES);
        if (opcode_may_leave(ARCH_AARCH64, false, opcode)) {
            return i + 1;
        }
    }
    return most;
}

static void note(struct core *core, const struct fragment *block, uint32_t ran)
{
    for (uint32_t at = 0, length; at < ran; at += length) {
        const uint8_t *code = block->code + at * A64_BYTES;

        length = shared_stretch(code, ran - at);
        core_ran(core,
                 known_number_of((struct fragment) { .address = block->address + at * A64_BYTES,
                                                     .instructions = length,
                                                     .context = core->context != 0 ? core->context | CONTEXT_DEVICE_UNKNOWN : 0,
                                                     .level = block->level,
                                                     .code_bytes = length * A64_BYTES,
                                                     .code = code }),
                 length);
    }
}

void shared_left(struct core *core, uint64_t instructions)
{
    const struct fragment *block = core->shared;
    uint32_t ran;

    if (block == NULL) {
        return;
    }
    core->shared = NULL;
    contexts_settle(core);
    ran = (uint32_t)(instructions - core->shared_from);
    if (block->code_bytes >= ran * A64_BYTES && block->code_bytes % A64_BYTES == 0) {
        note(core, block, ran);
    } else {
        profile_note(core->profile, FRAGMENT_UNNUMBERED, ran);
    }
}
