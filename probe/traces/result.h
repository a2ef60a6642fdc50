/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction writes to a general register, where that follows from the registers before it. */
#ifndef PROBE_TRACES_RESULT_H
#define PROBE_TRACES_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "instruction.h"

/* x0 to x30 as far as they are known, one bit each. */
struct general_registers {
    uint64_t values[TRACE_GENERAL_REGISTERS];
    uint32_t known;
};

/* Whether the result of an A64 instruction is known from its opcode and the registers before it: moves, additions and subtractions
 * of constants, addresses of code. If so, sets which register it writes, and its value. */
bool result_of(const struct trace_instruction *instruction, const struct general_registers *before, uint32_t *number,
               uint64_t *value);

/* Whether it branches to where a known register points: BR, BLR, RET. If so, sets the address. */
bool result_target(const struct trace_instruction *instruction, const struct general_registers *before, uint64_t *address);

#endif
