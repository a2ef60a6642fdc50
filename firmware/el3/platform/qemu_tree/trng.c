/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NOT a source of entropy: QEMU's virt machine has none in the secure world. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
 * from a fixed seed, so that a run can be repeated. Anything that needs secrets must not be built on this platform.
 */
#include "arch.h"
#include "qemu_tree.h"

#define SEED 0x6C61746C61625F31ULL
#define GOLDEN_GAMMA 0x9E3779B97F4A7C15ULL

static uint64_t state = SEED;
static struct arch_lock lock;

uint64_t qemu_tree_random(void)
{
    arch_lock_acquire(&lock);
    state += GOLDEN_GAMMA;
    uint64_t z = state;
    arch_lock_release(&lock);

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}
