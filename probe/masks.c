/* SPDX-License-Identifier: BSD-3-Clause */
#include "masks.h"


#define EL1 1U
#define EL2 2U
#define EL3 3U
#define SCR_EEL2 (1ULL << 18)
#define HCR_TGE (1ULL << 27)
#define HCR_E2H (1ULL << 34)
#define MACHINE_MODE 3U
#define SUPERVISOR_MODE 1U
#define HYPERVISOR_MODE 2U
#define MSTATUS_SIE (1ULL << 1)
#define MSTATUS_MIE (1ULL << 3)

#define MSTATUS_SPIE (1ULL << 5)
#define MSTATUS_MPIE (1ULL << 7)
#define MSTATUS_SPP (1ULL << 8)
#define MSTATUS_MPP_SHIFT 11
#define MSTATUS_MPV (1ULL << 39)
#define HSTATUS_SPV (1ULL << 7)
#define A64_VECTORS_BYTES 0x800U
#define A64_VECTOR_BYTES 0x80U
#define RISCV_VECTOR_MODE 3U
#define RISCV_VECTORED 1U
#define RISCV_VECTORS_BYTES 256U /* of 64 causes */

/* The bits of one line of AArch64. */
struct line {
    uint64_t pstate, scr, hcr;
};

static const struct line lines[MASK_LINES] = {
    { .pstate = 1U << 7, .scr = 1U << 1, .hcr = 1U << 4 },
    { .pstate = 1U << 6, .scr = 1U << 2, .hcr = 1U << 3 },
};

static enum mask masked_if(bool is_masked)
{
    return is_masked ? MASK_MASKED : MASK_OPEN;
}

static uint32_t target_of(const struct masks_aarch64 *core, const struct line *line)
{
    bool is_el2_there = core->has_el2 && core->scr_el3 & (SCR_NS | SCR_EEL2);

    if (core->scr_el3 & line->scr) {
        return EL3;
    }
    return is_el2_there && core->hcr_el2 & (line->hcr | HCR_TGE) ? EL2 : EL1;
}

static enum mask line_of_aarch64(const struct masks_aarch64 *core, const struct line *line)
{
    uint32_t target = target_of(core, line);
    bool is_host_of_el0 = target == EL2 && core->hcr_el2 & HCR_E2H && core->hcr_el2 & HCR_TGE;

    if (core->level > target) {
        return MASK_MASKED;
    }
    if (core->level < target && target != EL1 && !is_host_of_el0) {
        return MASK_OPEN;
    }
    return core->is_aarch32 ? MASK_UNKNOWN : masked_if(core->pstate & line->pstate);
}

struct masks masks_of_aarch64(const struct masks_aarch64 *core)
{
    return (struct masks) { { line_of_aarch64(core, &lines[0]), line_of_aarch64(core, &lines[1]) } };
}

struct masks masks_of_armv8m(uint64_t primasks, uint64_t faultmasks, uint64_t basepris)
{
    bool are_all = ((primasks | faultmasks) & 1) != 0;

    return (struct masks) { { masked_if(are_all), masked_if(are_all || basepris != 0) } };
}

struct masks masks_of_riscv(uint32_t world, uint64_t mstatus)
{
    bool is_supervisor = world == SUPERVISOR_MODE || world == HYPERVISOR_MODE;

    if (world == MACHINE_MODE) {
        return (struct masks) { { masked_if(!(mstatus & MSTATUS_MIE)), MASK_MASKED } };
    }
    return (struct masks) { { MASK_OPEN, masked_if(is_supervisor && !(mstatus & MSTATUS_SIE)) } };
}

bool masks_is_vector(enum arch arch, uint64_t vectors, uint64_t address)
{
    uint64_t base = arch == ARCH_RISCV ? vectors & ~(uint64_t)RISCV_VECTOR_MODE : vectors;

    if (arch == ARCH_RISCV) {
        return address == base || ((vectors & RISCV_VECTOR_MODE) == RISCV_VECTORED && address - base < RISCV_VECTORS_BYTES);
    }
    return address - base < A64_VECTORS_BYTES && address % A64_VECTOR_BYTES == 0;
}

bool masks_trap_is_of_guest(const struct trap *trap)
{
    if (trap->world == MACHINE_MODE) {
        return (trap->mstatus & MSTATUS_MPV) != 0;
    }
    return (trap->world & WORLD_GUEST) != 0 || (trap->hstatus & HSTATUS_SPV) != 0;
}

bool masks_trap_denies(const struct trap *trap, uint32_t from)
{
    return from < trap->world && ((from | trap->world) & WORLD_GUEST) == 0 && masks_trap_is_of_guest(trap);
}

struct masks masks_before_trap(const struct trap *trap)
{
    bool is_of_machine = trap->world == MACHINE_MODE;
    uint64_t was = is_of_machine ? MSTATUS_MPIE : MSTATUS_SPIE, now = is_of_machine ? MSTATUS_MIE : MSTATUS_SIE;
    uint32_t before = trap->mstatus & MSTATUS_SPP ? SUPERVISOR_MODE : 0;

    if (is_of_machine) {
        before = (uint32_t)(trap->mstatus >> MSTATUS_MPP_SHIFT) & WORLD_LEVEL_MASK;
    }
    if (masks_trap_is_of_guest(trap)) {
        before |= WORLD_GUEST;
    }
    return masks_of_riscv(before, trap->mstatus & was ? trap->mstatus | now : trap->mstatus & ~now);
}
