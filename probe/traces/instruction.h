/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction of a trace. */
#ifndef PROBE_TRACES_INSTRUCTION_H
#define PROBE_TRACES_INSTRUCTION_H

#include <stdint.h>

#define TRACE_REGISTERS 8U /* x0 to x7, r0 to r3 on M-profile */
#define TRACE_LINK TRACE_REGISTERS /* lr, which M-profile's switches carry */
#define TRACE_GENERAL_REGISTERS 31U /* x0 to x30 */
#define TRACE_UNKNOWN UINT64_MAX

enum trace_isa { TRACE_A64, TRACE_A32, TRACE_T32 };

struct trace_instruction {
    uint64_t address;
    uint64_t time; /* when it ran; TRACE_UNKNOWN */
    uint32_t opcode; /* as the architecture writes it: of T32 with 4 bytes the first halfword is the upper */
    uint8_t bytes; /* of the opcode; 0: not known */
    uint8_t world; /* world.h */
    uint8_t isa; /* enum trace_isa */
};

#endif
