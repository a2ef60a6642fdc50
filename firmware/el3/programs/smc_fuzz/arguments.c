/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include "core.h"
#include "psci.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

#define SECURE_SRAM 0x0e000000UL
#define SECURE_SRAM_SIZE 0x01000000U

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0xfffffffffffffff8,
    SECURE_SRAM,
    SECURE_SRAM + SECURE_SRAM_SIZE - 8,
    0x08000000,
    0x09040000,
    0x3ffffff8,
    0x40000000,
    0x60000000,
    0x7ffffff8,
};

static const uint32_t power_states[] = {
    0,
    POWER_STATE_STANDBY_0,
    POWER_STATE_DOWN_0,
    POWER_STATE_DOWN_0,
    POWER_STATE_DOWN_0,
    POWER_STATE_DOWN_1,
    POWER_STATE_DOWN_2,
    0x01010012,
    0x02010112,
    0x02010122,
    0x01000011,
    0x02000111,
    0x01011022,
    0x02012222,
};

static const uint64_t refused_entries[] = {
    0, 0x1000, SECURE_SRAM, SECURE_SRAM + 0x8000, SECURE_SRAM + SECURE_SRAM_SIZE - 4, 0x0001000000000000, 0xfffffffffffffffc,
};

uint64_t choose_value(struct random *random)
{
    switch (random_below(random, 5)) {
    case 0:
        return edges[random_below(random, COUNT(edges))];
    case 1:
        return SECURE_SRAM + random_below(random, SECURE_SRAM_SIZE);
    case 2:
        return random_below(random, 256);
    case 3:
        return 1UL << random_below(random, 64);
    default:
        return random_next(random);
    }
}

uint64_t choose_mpidr(struct random *random)
{
    uint64_t mpidr = cores[random_below(random, core_count)].mpidr;

    switch (random_below(random, 4)) {
    case 0:
        return mpidr ^ 1UL << random_below(random, 64);
    case 1:
        return choose_value(random);
    default:
        return mpidr;
    }
}

uint64_t choose_power_state(struct random *random)
{
    uint32_t state = power_states[random_below(random, COUNT(power_states))];

    switch (random_below(random, 8)) {
    case 0:
        return choose_value(random);
    case 1:
    case 2:
    case 3:
    case 4:
        return state ^ 1U << random_below(random, 32);
    default:
        return state;
    }
}

uint64_t choose_entry(struct random *random, const char *own, bool *is_own)
{
    uint32_t choice = random_below(random, 10);

    *is_own = choice < 6;
    if (*is_own) {
        return (uint64_t)own;
    }
    if (choice == 6) {
        return (uint64_t)own | 1U << random_below(random, 2);
    }
    if (choice == 7) {
        return SECURE_SRAM + random_below(random, SECURE_SRAM_SIZE / 4) * 4UL;
    }
    return refused_entries[random_below(random, COUNT(refused_entries))];
}
