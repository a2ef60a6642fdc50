/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"

#define REGISTER_MASK 0x1fU
#define ZERO_OR_STACK 31U
#define HALFWORD_BITS 16U
#define HALFWORD_MASK 0xffffULL
#define PAGE_BITS 12U
#define WIDE (1U << 31) /* of 64 bits */
#define LINK 30U
#define CALL (1U << 21)

static bool read_register(const struct general_registers *registers, uint32_t number, uint64_t *value)
{
    if (number == ZERO_OR_STACK || (registers->known & 1U << number) == 0) {
        return false;
    }
    *value = registers->values[number];
    return true;
}

/* MOVN, MOVZ, MOVK. */
static bool move_constant(uint32_t bits, const struct general_registers *before, uint64_t *value)
{
    uint32_t shift = (bits >> 21 & 3) * HALFWORD_BITS, kind = bits >> 29 & 3;
    uint64_t constant = (bits >> 5 & HALFWORD_MASK) << shift, old;

    if (kind != 3) {
        *value = kind == 0 ? ~constant : constant;
        return kind != 1;
    }
    if (!read_register(before, bits & REGISTER_MASK, &old)) {
        return false;
    }
    *value = (old & ~(HALFWORD_MASK << shift)) | constant;
    return true;
}

/* ADD, ADDS, SUB and SUBS of a constant. */
static bool add_constant(uint32_t bits, const struct general_registers *before, uint64_t *value)
{
    uint64_t constant = (uint64_t)(bits >> 10 & 0xfffU) << (bits & 1U << 22 ? PAGE_BITS : 0), base;

    if (!read_register(before, bits >> 5 & REGISTER_MASK, &base)) {
        return false;
    }
    *value = bits & 1U << 30 ? base - constant : base + constant;
    return true;
}

/* MOV of a register: ORR with the zero register. */
static bool copy(uint32_t bits, const struct general_registers *before, uint64_t *value)
{
    uint32_t from = bits >> 16 & REGISTER_MASK;

    *value = 0;
    return from == ZERO_OR_STACK || read_register(before, from, value);
}

/* ADR and ADRP. */
static bool address_of_code(const struct trace_instruction *instruction, uint64_t *value)
{
    uint32_t bits = instruction->opcode;
    uint64_t offset = (uint64_t)((int64_t)((uint64_t)(bits >> 5) << 45) >> 43) | (bits >> 29 & 3);
    bool is_page = (bits & WIDE) != 0;

    *value = is_page ? (instruction->address >> PAGE_BITS << PAGE_BITS) + (offset << PAGE_BITS) : instruction->address + offset;
    return true;
}

bool result_of(const struct trace_instruction *instruction, const struct general_registers *before, uint32_t *number,
               uint64_t *value)
{
    uint32_t bits = instruction->opcode;
    bool is_known = false;

    *number = bits & REGISTER_MASK;
    if (instruction->isa != TRACE_A64 || instruction->bytes != 4 || *number == ZERO_OR_STACK) {
        return false;
    }
    if ((bits & 0x1f000000U) == 0x10000000U) {
        return address_of_code(instruction, value);
    }
    if ((bits & 0x1f800000U) == 0x12800000U) {
        is_known = move_constant(bits, before, value);
    } else if ((bits & 0x1f800000U) == 0x11000000U) {
        is_known = add_constant(bits, before, value);
    } else if ((bits & 0x7fe0ffe0U) == 0x2a0003e0U) {
        is_known = copy(bits, before, value);
    }
    if (is_known && (bits & WIDE) == 0) {
        *value &= UINT32_MAX;
    }
    return is_known;
}

bool result_target(const struct trace_instruction *instruction, const struct general_registers *before, uint64_t *address)
{
    uint32_t bits = instruction->opcode, from = bits >> 5 & REGISTER_MASK;
    bool is_branch = (bits & 0xff9ffc1fU) == 0xd61f0000U && instruction->isa == TRACE_A64 && instruction->bytes == 4;

    /* A call writes x30 itself. */
    return is_branch && (from != LINK || (bits & CALL) == 0) && read_register(before, from, address);
}
