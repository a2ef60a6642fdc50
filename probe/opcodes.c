/* SPDX-License-Identifier: BSD-3-Clause */
#include "opcodes.h"

#define A64_NOP 0xd503201fU
#define A64_WFE 0xd503205fU
#define A64_WFI 0xd503207fU
#define A64_WAIT_TIMEOUT 0xd5031000U
#define A64_WAIT_TIMEOUT_MASK 0xffffffc0U
#define A64_WAIT_IS_INTERRUPT 0x20U
#define A32_WFE 0xe320f002U
#define A32_WFI 0xe320f003U
#define T16_WFE 0xbf20U
#define T16_WFI 0xbf30U
#define RISCV_WFI 0x10500073U
#define RISCV_SRET 0x10200073U
#define RISCV_MRET 0x30200073U
#define RISCV_SYSTEM 0x73U
#define RISCV_OPCODE 0x7fU

/* Whatever may be trapped, or fault, when it is executed and not when it is translated. */
static bool a64_may_leave(uint32_t bits)
{
    bool is_load_store = (bits & 0x0a000000U) == 0x08000000U;
    bool is_vector_memory = (bits & 0x9e000000U) == 0x84000000U || (bits & 0xfe000000U) == 0xe0000000U; /* SVE's, SME's */
    bool is_system = (bits & 0xffc00000U) == 0xd5000000U; /* registers, caches, translation, PSTATE, hints */
    bool is_barrier = (bits & 0xfffff000U) == 0xd5033000U || bits == A64_NOP;
    bool is_pointer_code = (bits & 0x7fe00000U) == 0x5ac00000U || (bits & 0xffe0fc00U) == 0x9ac03000U; /* PAC*, AUT*, PACGA */

    return is_load_store || is_vector_memory || is_pointer_code || (is_system && !is_barrier);
}

bool opcode_may_leave(enum arch arch, bool is_aarch32, struct opcode opcode)
{
    return arch != ARCH_AARCH64 || is_aarch32 || a64_may_leave(opcode.bits);
}

static enum sleep a64_sleep(uint32_t bits)
{
    if (bits == A64_WFI) {
        return SLEEP_WFI;
    }
    if (bits == A64_WFE) {
        return SLEEP_WFE;
    }
    if ((bits & A64_WAIT_TIMEOUT_MASK) != A64_WAIT_TIMEOUT) {
        return SLEEP_NONE;
    }
    return bits & A64_WAIT_IS_INTERRUPT ? SLEEP_WFI : SLEEP_WFE;
}

static enum sleep arm_sleep(struct opcode opcode)
{
    if (opcode.bytes == 2) {
        return opcode.bits == T16_WFI ? SLEEP_WFI : opcode.bits == T16_WFE ? SLEEP_WFE : SLEEP_NONE;
    }
    return opcode.bits == A32_WFI ? SLEEP_WFI : opcode.bits == A32_WFE ? SLEEP_WFE : SLEEP_NONE;
}

enum sleep opcode_sleep(enum arch arch, bool is_aarch32, struct opcode opcode)
{
    if (arch == ARCH_RISCV) {
        return opcode.bytes == 4 && opcode.bits == RISCV_WFI ? SLEEP_WFI : SLEEP_NONE;
    }
    return arch == ARCH_AARCH64 && !is_aarch32 ? a64_sleep(opcode.bits) : arm_sleep(opcode);
}

/* MSR to DAIF, SCR_EL3 and HCR_EL2, with a value or a register; ERET and its like. */
static bool a64_may_mask(uint32_t bits)
{
    uint32_t target = bits & 0xffffffe0U;

    return (bits & 0xfffff0dfU) == 0xd50340dfU || target == 0xd51b4220U || target == 0xd51e1100U || target == 0xd51c1100U ||
           (bits & 0xffc00000U) == 0xd6800000U;
}

/* CPS, MSR to a special register. */
static bool thumb_may_mask(struct opcode opcode)
{
    if (opcode.bytes == 2) {
        return (opcode.bits & 0xffe8U) == 0xb660U;
    }
    return (opcode.bits & 0xd000ffe0U) == 0x8000f380U;
}

bool opcode_may_mask(enum arch arch, bool is_aarch32, struct opcode opcode)
{
    switch (arch) {
    case ARCH_ARMV8M: return thumb_may_mask(opcode);
    case ARCH_RISCV: return opcode.bytes == 4 && (opcode.bits & RISCV_OPCODE) == RISCV_SYSTEM;
    case ARCH_AARCH64: break;
    }
    return !is_aarch32 && a64_may_mask(opcode.bits);
}

bool opcode_may_switch(enum arch arch, bool is_aarch32, struct opcode opcode)
{
    return arch == ARCH_AARCH64 && !is_aarch32 && (opcode.bits & 0xfff8ffe0U) == 0xd5181000U;
}

bool opcode_returns(enum arch arch, struct opcode opcode)
{
    if (arch == ARCH_RISCV) {
        return opcode.bits == RISCV_MRET || opcode.bits == RISCV_SRET;
    }
    return arch == ARCH_AARCH64 && (opcode.bits & 0xffc00000U) == 0xd6800000U;
}
