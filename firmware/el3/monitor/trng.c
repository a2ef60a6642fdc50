/* SPDX-License-Identifier: BSD-3-Clause */
/* TRNG 1.0 (Arm DEN0098). Where the bits come from is the platform's business. */
#include "monitor.h"
#include "require.h"

#include <stddef.h>

#define TRNG_VERSION 0x84000050U
#define TRNG_FEATURES 0x84000051U
#define TRNG_GET_UUID 0x84000052U
#define TRNG_RND_32 0x84000053U
#define TRNG_RND_64 0xC4000053U

#define TRNG_VERSION_1_0 0x10000U
#define NOT_SUPPORTED ((uint64_t)-1)
#define INVALID_PARAMETERS ((uint64_t)-2)

#define WORDS 3U

static uint64_t features(uint32_t id)
{
    return (id >= TRNG_VERSION && id <= TRNG_RND_32) || id == TRNG_RND_64 ? 0 : NOT_SUPPORTED;
}

/* The lowest bits come back in the last register; bits that were not asked for are zero. */
static void random_bits(struct smc_frame *frame, uint64_t bits, unsigned word_bits)
{
    REQUIRE(word_bits == 32 || word_bits == 64);
    if (bits == 0 || bits > (uint64_t)WORDS * word_bits) {
        frame->x[0] = INVALID_PARAMETERS;
        return;
    }
    for (unsigned word = 0; word < WORDS; word++) {
        uint64_t low = (uint64_t)word * word_bits;
        uint64_t wanted = bits > low ? bits - low : 0;
        uint64_t in_word = wanted < word_bits ? wanted : word_bits;

        frame->x[WORDS - word] = in_word == 0 ? 0 : monitor.random() >> (64U - in_word);
    }
    frame->x[0] = 0;
}

bool trng_call(uint32_t id, struct smc_frame *frame)
{
    if (monitor.random == NULL) {
        return false;
    }
    switch (id) {
    case TRNG_VERSION:
        frame->x[0] = TRNG_VERSION_1_0;
        return true;
    case TRNG_FEATURES:
        frame->x[0] = features((uint32_t)frame->x[1]);
        return true;
    case TRNG_GET_UUID:
        for (unsigned word = 0; word < 4; word++) {
            frame->x[word] = monitor.trng_uuid[word];
        }
        return true;
    case TRNG_RND_32:
        random_bits(frame, (uint32_t)frame->x[1], 32);
        return true;
    case TRNG_RND_64:
        random_bits(frame, frame->x[1], 64);
        return true;
    default:
        return false;
    }
}
