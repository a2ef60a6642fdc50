/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#define CPSR_MODE 0x1fU
#define MODE_HYP 0x1aU
#define SCR_NSE_SHIFT 62
#define XPSR_EXCEPTION 0x1ffU
#define SECURE_ALIAS_SHIFT 28
#define EL2 2U
#define EL3 3U
#define MACHINE_MODE 3U
#define SUPERVISOR_MODE 1U
#define HYPERVISOR_MODE 2U
#define MISA_H (1U << 7)

uint32_t world_level_of_cpsr(uint64_t cpsr)
{
    return (uint32_t)(cpsr >> 2 & WORLD_LEVEL_MASK);
}

uint32_t world_level_of_aarch32(uint32_t from, uint64_t spsr)
{
    if (from < EL2) {
        return 0;
    }
    return (spsr & CPSR_MODE) == MODE_HYP ? EL2 : 1;
}

uint32_t world_of_aarch64(uint32_t level, uint64_t scr_el3)
{
    if (level == EL3 || !(scr_el3 & SCR_NS)) {
        return level | WORLD_SECURE;
    }
    return scr_el3 >> SCR_NSE_SHIFT & 1 ? level | WORLD_REALM : level;
}

uint32_t world_of_armv8m(uint64_t xpsr, uint64_t address)
{
    uint32_t handler = (xpsr & XPSR_EXCEPTION) != 0;

    return handler | (address >> SECURE_ALIAS_SHIFT & 1 ? WORLD_SECURE : 0);
}

uint32_t world_of_riscv(uint64_t priv, uint64_t misa)
{
    uint32_t world = (uint32_t)priv & (WORLD_LEVEL_MASK | WORLD_GUEST);

    return world == SUPERVISOR_MODE && misa & MISA_H ? HYPERVISOR_MODE : world;
}

bool world_change_has_registers(enum arch arch, uint32_t from, uint32_t to)
{
    if (from == WORLD_NONE) {
        return false;
    }
    if (arch == ARCH_ARMV8M) {
        return ((from ^ to) & WORLD_SECURE) != 0;
    }
    if (arch == ARCH_RISCV && from != MACHINE_MODE && to != MACHINE_MODE) {
        return ((from ^ to) & WORLD_GUEST) != 0;
    }
    if ((from ^ to) & ~WORLD_LEVEL_MASK) {
        return true;
    }
    return (from & WORLD_LEVEL_MASK) >= EL2 || (to & WORLD_LEVEL_MASK) >= EL2;
}

bool world_is_measured(enum arch arch, uint32_t world)
{
    if (world == WORLD_NONE) {
        return false;
    }
    return arch == ARCH_RISCV ? world == MACHINE_MODE : (world & (WORLD_SECURE | WORLD_REALM)) != 0;
}
