/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow.h"

#include "opcodes.h"
#include "world.h"

#define A64_BYTES 4U
#define SYNDROME_LONG (1ULL << 25) /* of an instruction with 4 bytes */
#define SYNDROME_CLASS_SHIFT 26
#define CLASS_SVC32 0x11U
#define CLASS_SVC64 0x15U
#define REGISTER_MASK 0x1fU
#define ALL_REGISTERS 0x7fffffffU
#define LINK 30U
#define VECTOR_BYTES 0x80U
#define VECTORS_OF_LOWER 0x400U
#define VECTORS_BYTES 0x800U

static bool is_a64(const struct trace_instruction *instruction)
{
    return instruction->isa == TRACE_A64 && instruction->bytes == A64_BYTES;
}

/* Conditional or not, to a fixed place. */
static bool is_direct(uint32_t bits)
{
    return (bits & 0x7c000000U) == 0x14000000U || (bits & 0xfe000000U) == 0x54000000U || (bits & 0x7c000000U) == 0x34000000U;
}

/* To where a register says, or a return from an exception. */
static bool is_indirect(uint32_t bits)
{
    return (bits & 0xfe000000U) == 0xd6000000U;
}

/* SVC, HVC, SMC, BRK, HLT, DCPS. */
static bool is_exception(uint32_t bits)
{
    return (bits & 0xff000000U) == 0xd4000000U;
}

bool flow_may_end(const struct trace_instruction *instruction)
{
    struct opcode opcode = { .bits = instruction->opcode, .bytes = A64_BYTES };
    uint32_t bits = instruction->opcode;

    if (!is_a64(instruction)) {
        return instruction->bytes != 0;
    }
    return is_direct(bits) || is_indirect(bits) || is_exception(bits) || opcode_may_leave(ARCH_AARCH64, false, opcode);
}

static bool a64_call(uint32_t bits, uint64_t *syndrome)
{
    uint32_t call = bits & REGISTER_MASK; /* 1 SVC, 2 HVC, 3 SMC */

    if ((bits & 0xffe0001cU) != 0xd4000000U || call == 0) {
        return false;
    }
    *syndrome = (uint64_t)(CLASS_SVC64 + call - 1) << SYNDROME_CLASS_SHIFT | SYNDROME_LONG | (bits >> 5 & 0xffffU);
    return true;
}

static bool a32_call(const struct trace_instruction *instruction, uint64_t *syndrome)
{
    uint32_t bits = instruction->opcode, call;

    if (instruction->isa == TRACE_T32) {
        call = instruction->bytes == 2 ? ((bits & 0xff00U) == 0xdf00U ? 1 : 0) : (bits & 0xfff0f000U) == 0xf7f08000U ? 3
               : (bits & 0xfff0f000U) == 0xf7e08000U                                                              ? 2
                                                                                                                  : 0;
    } else {
        call = (bits & 0x0f000000U) == 0x0f000000U ? 1 : (bits & 0x0ff000f0U) == 0x01600070U ? 3 : (bits & 0x0ff000f0U) == 0x01400070U ? 2 : 0;
    }
    if (call == 0) {
        return false;
    }
    *syndrome = (uint64_t)(CLASS_SVC32 + call - 1) << SYNDROME_CLASS_SHIFT | (instruction->bytes == A64_BYTES ? SYNDROME_LONG : 0);
    return true;
}

bool flow_call(const struct trace_instruction *instruction, uint64_t *syndrome)
{
    if (instruction->bytes == 0) {
        return false;
    }
    return instruction->isa == TRACE_A64 ? a64_call(instruction->opcode, syndrome) : a32_call(instruction, syndrome);
}

/* `bits` of the opcode from `shift` on, a signed number of instructions. */
static uint64_t offset_of(uint32_t opcode, uint32_t shift, uint32_t bits)
{
    int64_t offset = (int64_t)((uint64_t)opcode >> shift << (64 - bits)) >> (64 - bits);

    return (uint64_t)(offset * (int64_t)A64_BYTES);
}

static uint64_t target_of(const struct trace_instruction *instruction)
{
    uint32_t bits = instruction->opcode;

    if ((bits & 0x7c000000U) == 0x14000000U) {
        return instruction->address + offset_of(bits, 0, 26);
    }
    if ((bits & 0x7e000000U) == 0x36000000U) {
        return instruction->address + offset_of(bits, 5, 14);
    }
    return instruction->address + offset_of(bits, 5, 19);
}

static bool is_always_taken(uint32_t bits)
{
    return (bits & 0x7c000000U) == 0x14000000U;
}

static bool is_return_from_exception(uint32_t bits)
{
    return (bits & 0xff9f0000U) == 0xd69f0000U || (bits & 0xfffff000U) == 0xd6bf0000U;
}

/* Exceptions from a lower level have the upper half of the vectors. */
static bool is_vector(uint64_t address, bool is_from_lower)
{
    return address % VECTOR_BYTES == 0 && ((address & VECTORS_OF_LOWER) != 0) == is_from_lower;
}

static bool leads_inside(const struct trace_instruction *instruction, uint64_t address)
{
    if (is_indirect(instruction->opcode)) {
        return true;
    }
    if (is_direct(instruction->opcode) && target_of(instruction) == address) {
        return true;
    }
    return !is_always_taken(instruction->opcode) && address == instruction->address + A64_BYTES;
}

bool flow_leads_to(const struct trace_instruction *instruction, const struct trace_instruction *next)
{
    uint32_t level = instruction->world & WORLD_LEVEL_MASK, next_level = next->world & WORLD_LEVEL_MASK;

    if (!is_a64(instruction) || next->isa != TRACE_A64) {
        return true;
    }
    if (next_level > level) {
        return is_vector(next->address, true);
    }
    if (is_return_from_exception(instruction->opcode)) {
        return true;
    }
    if (next->world != instruction->world) {
        return false;
    }
    return leads_inside(instruction, next->address) || (level != 0 && is_vector(next->address, false));
}

bool flow_is_exception(const struct trace_instruction *instruction, const struct trace_instruction *next)
{
    uint32_t level = instruction->world & WORLD_LEVEL_MASK, next_level = next->world & WORLD_LEVEL_MASK;

    if (!is_a64(instruction) || next->isa != TRACE_A64) {
        return false;
    }
    if (next_level > level) {
        return true;
    }
    return next->world == instruction->world && !is_return_from_exception(instruction->opcode) &&
           !leads_inside(instruction, next->address);
}

uint64_t flow_vectors(const struct trace_instruction *next)
{
    return next->address & ~(uint64_t)(VECTORS_BYTES - 1);
}

bool flow_moves_vectors(const struct trace_instruction *instruction)
{
    return is_a64(instruction) && (instruction->opcode & 0xfff8ffe0U) == 0xd518c000U;
}

static uint32_t one_register(uint32_t number)
{
    return number < TRACE_GENERAL_REGISTERS ? 1U << number : 0;
}

/* Data processing with an immediate or registers: all but comparisons of which the flags are the result. */
static bool is_arithmetic(uint32_t bits)
{
    bool is_conditional_compare = (bits & 0x3fe00000U) == 0x3a400000U;
    bool is_flag_operation = (bits & 0x1fe07c00U) == 0x1a000400U || (bits & 0x1fe03c00U) == 0x1a000800U;

    if ((bits & 0x1c000000U) == 0x10000000U) {
        return true;
    }
    return (bits & 0x0e000000U) == 0x0a000000U && !is_conditional_compare && !is_flag_operation;
}

/* A load of one general register: unsigned offset, unscaled, pre- and post-indexed, by register, literal. */
static bool is_load(uint32_t bits)
{
    bool is_any = (bits & 0x3b000000U) == 0x39000000U || (bits & 0x3b200000U) == 0x38000000U || (bits & 0x3b200c00U) == 0x38200800U;
    bool is_literal = (bits & 0x3f000000U) == 0x18000000U;
    bool is_prefetch = (bits & 0xc4c00000U) == 0xc0800000U || (bits & 0xff000000U) == 0xd8000000U;

    return !is_prefetch && (bits & 0x04000000U) == 0 && (is_literal || (is_any && (bits & 0x00c00000U) != 0));
}

static bool is_load_of_pair(uint32_t bits)
{
    return (bits & 0x3c400000U) == 0x28400000U;
}

uint32_t flow_writes(const struct trace_instruction *instruction)
{
    uint32_t bits = instruction->opcode;

    if (!is_a64(instruction)) {
        return 0;
    }
    if (is_arithmetic(bits) || is_load(bits)) {
        return one_register(bits & REGISTER_MASK);
    }
    if (is_load_of_pair(bits)) {
        return one_register(bits & REGISTER_MASK) | one_register(bits >> 10 & REGISTER_MASK);
    }
    return 0;
}

/* SVC, HVC, SMC: what they call writes, and not they. HLT and its like may be calls of a simulator, which does. */
static bool is_call_of_level(uint32_t bits)
{
    return (bits & 0xffe0001cU) == 0xd4000000U;
}

/* Of one register or a pair, with a base that may be written too; exclusives, atomics and vectors apart. */
static bool is_plain_access(uint32_t bits)
{
    bool is_one = (bits & 0x3b000000U) == 0x39000000U || (bits & 0x3b200000U) == 0x38000000U || (bits & 0x3b200c00U) == 0x38200800U;

    return is_one || (bits & 0x3a000000U) == 0x28000000U || (bits & 0x3b000000U) == 0x18000000U;
}

uint32_t flow_may_write(const struct trace_instruction *instruction)
{
    uint32_t bits = instruction->opcode;
    bool is_hint = (bits & 0xfffff01fU) == 0xd503201fU;

    if (!is_a64(instruction)) {
        return ALL_REGISTERS;
    }
    if (is_direct(bits) || is_indirect(bits)) {
        return one_register(LINK); /* BL and BLR */
    }
    if (is_call_of_level(bits) || is_hint) {
        return 0;
    }
    if (is_plain_access(bits)) {
        return flow_writes(instruction) | one_register(bits >> 5 & REGISTER_MASK);
    }
    return is_arithmetic(bits) ? flow_writes(instruction) : ALL_REGISTERS;
}
