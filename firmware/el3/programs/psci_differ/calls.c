/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include "console.h"
#include "core.h"
#include "psci.h"
#include "smc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t functions[] = {
    PSCI_CPU_ON,     SMC64(PSCI_CPU_ON),     PSCI_AFFINITY_INFO,      SMC64(PSCI_AFFINITY_INFO), PSCI_FEATURES, PSCI_CPU_SUSPEND,
    PSCI_MIGRATE,    SMC64(PSCI_MIGRATE),    PSCI_MIGRATE_INFO_TYPE,  SMCCC_ARCH_FEATURES,       0x8400ffffU,   0xc400ffffU,
    PSCI_CPU_FREEZE, PSCI_SET_SUSPEND_MODE,  SMC64(PSCI_CPU_SUSPEND), PSCI_SYSTEM_RESET2,
};

/* What may stand in any argument: nothing of it is a core that is off, a power state, or a way to reset. */
static const uint64_t words[] = {
    0, 1, 4, 0x100, 0x80000000UL, 0xffffffffUL, 0x1000000000000UL, UINT64_MAX, 0x84000001UL, 0xc4000003UL, 0x84000012UL, 0x60000002UL,
};

static uint64_t word(struct random *random)
{
    return words[random_below(random, COUNT(words))];
}

/* An MPIDR that no core has where a core would be started; a state and a type of reset that there are not. */
static uint64_t first(struct random *random, uint32_t function)
{
    switch (function & ~0x40000000U) {
    case PSCI_CPU_ON:
        return random_below(random, 2) == 0 ? cores[lead_index].mpidr : 0x00ff0000UL | word(random);
    case PSCI_CPU_SUSPEND:
        return 0x8000ff00UL | (uint32_t)word(random);
    case PSCI_SYSTEM_RESET2:
        return 0x7fffffffUL - (uint8_t)word(random);
    case PSCI_SET_SUSPEND_MODE:
        return 2U + (uint32_t)word(random) % 16U;
    default:
        return word(random);
    }
}

void calls_make_one(struct random *random)
{
    uint32_t function = functions[random_below(random, COUNT(functions))];
    uint64_t x1 = first(random, function);
    uint64_t x2 = word(random);
    uint64_t x3 = word(random);

    console_line("call %x(%lx, %lx, %lx): %ld", function, x1, x2, x3, (int64_t)(int32_t)smc(function, x1, x2, x3).x[0]);
}
