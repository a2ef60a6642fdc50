/* SPDX-License-Identifier: BSD-3-Clause */
/* What the probe must know of an instruction. */
#ifndef PROBE_OPCODES_H
#define PROBE_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world.h"

enum sleep { SLEEP_NONE = 0, SLEEP_WFI = 1, SLEEP_WFE = 2 };

/* The bytes of one instruction as they stand in memory, little-endian. */
struct opcode {
    uint32_t bits;
    size_t bytes;
};

/* Whether a block can end after this instruction without having reached its own end: what it does may fault or be trapped when it runs, or
 * touch a device, after which QEMU makes a new block; or the core may sleep. True where that is not known. `is_aarch32` is state, not
 * architecture. */
bool opcode_may_leave(enum arch arch, bool is_aarch32, struct opcode opcode);

/* Whether the core may take other interrupts behind this instruction than before it; traps and what comes of them apart. */
bool opcode_may_mask(enum arch arch, bool is_aarch32, struct opcode opcode);

/* Whether this instruction may switch caches or translation on or off: an MSR to an SCTLR. */
bool opcode_may_switch(enum arch arch, bool is_aarch32, struct opcode opcode);

/* Whether this is a return from an exception or a trap, of those above. */
bool opcode_returns(enum arch arch, struct opcode opcode);

/* Whether this instruction waits for an interrupt or an event. */
enum sleep opcode_sleep(enum arch arch, bool is_aarch32, struct opcode opcode);

#endif
