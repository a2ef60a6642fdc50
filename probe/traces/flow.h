/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the flow of control goes behind an instruction, by its opcode. */
#ifndef PROBE_TRACES_FLOW_H
#define PROBE_TRACES_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "instruction.h"

/* Whether code may go on elsewhere behind it than at the next instruction: where a stretch of code ends. True where that is not known. */
bool flow_may_end(const struct trace_instruction *instruction);

/* Whether it is a call to a higher level: SVC, HVC or SMC. `syndrome` is then what the architecture says of that, else it is as it was. */
bool flow_call(const struct trace_instruction *instruction, uint64_t *syndrome);

/* Whether `next` may follow: where the instruction leads to, or at a vector of a level that takes an exception. True where that is not
 * known, as of AArch32. */
bool flow_leads_to(const struct trace_instruction *instruction, const struct trace_instruction *next);

/* Whether `next`, which may follow, is at a vector to which the instruction itself does not lead. */
bool flow_is_exception(const struct trace_instruction *instruction, const struct trace_instruction *next);

/* The first of the vectors among which that of `next` is. */
uint64_t flow_vectors(const struct trace_instruction *next);

/* Whether it says where the vectors of a level are. */
bool flow_moves_vectors(const struct trace_instruction *instruction);

/* Which of x0 to x30 an A64 instruction writes for certain, one bit each: a source that shows registers shows their new values. */
uint32_t flow_writes(const struct trace_instruction *instruction);

/* Which of them it may write; all where that is not known. */
uint32_t flow_may_write(const struct trace_instruction *instruction);

#endif
