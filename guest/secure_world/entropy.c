/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What TF-A's TRNG service asks its platform for, on QEMU's machine, which has none that firmware could ask: the same words after each
 * boot, so that runs repeat. For measurements alone: whoever reads this file knows every random number.
 */
#include <stdbool.h>
#include <stdint.h>

#include <plat/common/plat_trng.h>

#define FIRST 0x6c61746c61622031ULL
#define STEP 0x9e3779b97f4a7c15ULL

uuid_t plat_trng_uuid = {{0x9c, 0x3d, 0x51, 0x60}, {0x0f, 0x6e}, {0x4b, 0x1c}, 0x8e, 0x0a, {0x6c, 0x61, 0x74, 0x6c, 0x61, 0x62}};

static uint64_t state;

void plat_entropy_setup(void)
{
    state = FIRST;
}

/* splitmix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014. The caller holds the pool's lock. */
bool plat_get_entropy(uint64_t *out)
{
    state += STEP;
    uint64_t word = state;

    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    *out = word ^ (word >> 31);
    return true;
}
