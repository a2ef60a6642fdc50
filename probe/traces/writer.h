/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace of any source says of its cores, made into the records of docs/reference/probe-format.md: the same that the plugin writes,
 * with the source, its clock and its gaps.
 *
 * A source calls in the order of its trace, from one thread. What it does not know it does not say: a register without a value is unknown,
 * an instruction without an opcode is counted and belongs to no code, a core without a clock has no times. */
#ifndef PROBE_TRACES_WRITER_H
#define PROBE_TRACES_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "instruction.h"
#include "world.h"

#define TRACE_CORES_MAX 512U

/* What a source cannot know of any instruction; docs/reference/probe-format.md promises these bits to the reader. */
#define SOURCE_NO_REGISTERS 0x1U
#define SOURCE_NO_CAUSES 0x2U /* why an exception was taken */
#define SOURCE_NO_TIME 0x4U
#define SOURCE_NO_CODE 0x8U /* opcodes */
#define SOURCE_NO_SECURE 0x10U /* the secure worlds are not in it, whatever ran there */
#define SOURCE_NO_SERIALS 0x20U /* instructions have no numbers: what is missing shows in the flow of control alone */

struct trace_source {
    const char *name; /* for people, such as "Tarmac, Fast Models" */
    const char *unit; /* of its clock as the source calls it, such as "clk" or "ps" */
    uint64_t femtoseconds; /* of one tick; 0 where the unit has no fixed time */
    uint32_t unknown; /* SOURCE_ bits */
    enum arch arch;
    bool has_all_code; /* code of all worlds is kept, not only that of the measured ones */
};

/* Why something is missing; the numbers are the format's. */
enum trace_gap_kind {
    GAP_START = 1, /* the trace begins when the core had run already */
    GAP_STOP = 2, /* the trace of the core ends here; nothing is missing before */
    GAP_LOST = 3, /* numbered instructions are missing */
    GAP_ORDER = 4, /* numbers or times go back */
    GAP_JUMP = 5, /* the code goes on where the instruction before does not lead */
    GAP_FOREIGN = 6, /* lines of another dialect or another trace */
    GAP_NO_WORLD = 7, /* instructions of which the source does not say the world */
    GAP_UNREADABLE = 8, /* what came cannot be read */
    GAP_NO_SYNC = 9, /* the decoder is not synchronised */
    GAP_OVERFLOW = 10, /* the trace unit or its buffer was full */
    GAP_NO_MEMORY = 11, /* the code at the address is in no image */
    GAP_OFF = 12, /* the trace was switched off, or filtered */
    GAP_BAD_DATA = 13, /* packets that are none */
    GAP_VALUE = 14, /* a register has a value that the instructions before do not give */
};

struct trace_gap {
    enum trace_gap_kind kind;
    uint8_t world; /* in which it is; WORLD_NONE: not known */
    uint64_t instructions; /* missing; TRACE_UNKNOWN */
    uint64_t until; /* when the trace goes on; TRACE_UNKNOWN */
    uint64_t place; /* line or byte of the trace, 0: none */
};

struct trace_core; /* one core of the trace */

/* Begins the stream in `file`, which it takes over; `file_name` is what sentences call it. Once. */
void writer_open(FILE *file, const char *file_name, uint64_t limit_bytes, const struct trace_source *source);

/* Makes the next core. `identity` as in a CORE record: cluster in bits 8 to 15, core in bits 0 to 7. NULL where there are as many as may be. */
struct trace_core *writer_core(uint64_t identity);

/* The core's number in the stream. */
uint32_t writer_core_number(const struct trace_core *core);

/* One instruction that the core executed, or tried. In another world than the last one, or behind a gap, this is a world switch. */
void writer_executed(struct trace_core *core, const struct trace_instruction *instruction);

/* A register as it is behind the last instruction: TRACE_LINK, or below TRACE_REGISTERS. */
void writer_register(struct trace_core *core, uint32_t number, uint64_t value);

/* Of the register nothing is known any more. */
void writer_register_unknown(struct trace_core *core, uint32_t number);

/* ESR and ELR of a level, written behind the last instruction: by an exception to that level if the next instruction is there. */
void writer_syndrome(struct trace_core *core, uint32_t level, uint64_t syndrome);
void writer_return_address(struct trace_core *core, uint32_t level, uint64_t address);

/* Something is missing before the core's next instruction, which begins anew: world, registers and code before it are unknown.
 * A GAP_STOP of each core comes from writer_close(). */
void writer_gap(struct trace_core *core, const struct trace_gap *gap);

/* The code that the core ran until now is whole: before anything that the source says of its end, such as a filter. */
void writer_settle(struct trace_core *core);

uint64_t writer_instructions(const struct trace_core *core);

/* The world of its last instruction; WORLD_NONE before one, and behind a gap. */
uint32_t writer_world(const struct trace_core *core);

/* Ends the trace of each core, then the stream. */
void writer_close(void);

#endif
