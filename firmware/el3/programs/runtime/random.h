/* SPDX-License-Identifier: BSD-3-Clause */
/* SplitMix64: small, seedable, good enough to choose test inputs. */
#ifndef PAYLOAD_RANDOM_H
#define PAYLOAD_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15UL;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    return z ^ z >> 31;
}

static inline uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

#endif
