/* SPDX-License-Identifier: BSD-3-Clause */
/* TRNG 1.0. */
#include "cases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "format.h"
#include "psci.h"
#include "smc.h"

#define VERSION_1_0 0x10000
#define TRNG_NOT_SUPPORTED (-1)
#define TRNG_INVALID_PARAMETERS (-2)
#define MOST_BITS_32 96U
#define MOST_BITS_64 192U

/* True where every bit from `bits` on is zero. x3 (w3) holds the lowest bits, x1 (w1) the highest. */
static bool only_has_bits(const struct smc_result *r, uint32_t bits, uint32_t word_bits)
{
    for (uint32_t i = 0; i < 3; i++, bits -= bits < word_bits ? bits : word_bits) {
        uint64_t word = r->x[3 - i];

        if (bits < word_bits && word >> bits != 0) {
            return false;
        }
    }
    return true;
}

static void check_bits(uint32_t function, uint32_t bits, uint32_t word_bits)
{
    struct smc_result r = smc(function, bits, 0, 0);
    char name[128];

    format_text(name, sizeof(name), "TRNG_RND%u gives %u bits", word_bits, bits);
    check_equal(name, 0, (int32_t)r.x[0]);
    format_text(name, sizeof(name), "TRNG_RND%u leaves every bit from bit %u on zero", word_bits, bits);
    check_true(name, only_has_bits(&r, bits, word_bits), "zero bits above", (int64_t)r.x[1]);
}

static void check_rnd(uint32_t function, uint32_t word_bits, uint32_t most_bits)
{
    static const uint32_t sizes[] = { 1, 31, 32, 33, 95, 96 };
    struct smc_result a, b;
    char name[128];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_bits(function, sizes[i], word_bits);
    }
    check_bits(function, most_bits, word_bits);
    format_text(name, sizeof(name), "TRNG_RND%u refuses 0 bits", word_bits);
    check_preserving(name, TRNG_INVALID_PARAMETERS, function, 0, 0, 0);
    format_text(name, sizeof(name), "TRNG_RND%u refuses %u bits", word_bits, most_bits + 1);
    check_preserving(name, TRNG_INVALID_PARAMETERS, function, most_bits + 1, 0, 0);
    a = smc(function, most_bits, 0, 0);
    b = smc(function, most_bits, 0, 0);
    format_text(name, sizeof(name), "TRNG_RND%u does not repeat itself", word_bits);
    check_true(name, a.x[1] != b.x[1] || a.x[2] != b.x[2] || a.x[3] != b.x[3], "two different results", (int64_t)a.x[3]);
}

static void check_without(void)
{
    check_preserving("TRNG_VERSION is not supported", TRNG_NOT_SUPPORTED, TRNG_VERSION, 0, 0, 0);
    check_preserving("TRNG_FEATURES is not supported", TRNG_NOT_SUPPORTED, TRNG_FEATURES, TRNG_VERSION, 0, 0);
    check_preserving("TRNG_GET_UUID is not supported", TRNG_NOT_SUPPORTED, TRNG_GET_UUID, 0, 0, 0);
    check_preserving("TRNG_RND is not supported", TRNG_NOT_SUPPORTED, TRNG_RND, 32, 0, 0);
    check_preserving("TRNG_RND (64-bit) is not supported", TRNG_NOT_SUPPORTED, SMC64(TRNG_RND), 64, 0, 0);
}

void cases_trng(void)
{
    struct smc_result uuid;

    if (!board.has_trng) {
        check_without();
        return;
    }
    uuid = smc(TRNG_GET_UUID, 0, 0, 0);
    check_preserving("TRNG_VERSION is 1.0", VERSION_1_0, TRNG_VERSION, 0, 0, 0);
    check_call("TRNG_FEATURES knows TRNG_VERSION", 0, TRNG_FEATURES, TRNG_VERSION, 0, 0);
    check_call("TRNG_FEATURES knows itself", 0, TRNG_FEATURES, TRNG_FEATURES, 0, 0);
    check_call("TRNG_FEATURES knows TRNG_GET_UUID", 0, TRNG_FEATURES, TRNG_GET_UUID, 0, 0);
    check_call("TRNG_FEATURES knows TRNG_RND32", 0, TRNG_FEATURES, TRNG_RND, 0, 0);
    check_call("TRNG_FEATURES knows TRNG_RND64", 0, TRNG_FEATURES, SMC64(TRNG_RND), 0, 0);
    check_call("TRNG_FEATURES says NOT_SUPPORTED for an unknown id", TRNG_NOT_SUPPORTED, TRNG_FEATURES, 0x84000054, 0, 0);
    check_true("TRNG_GET_UUID gives an id",
               (uint32_t)uuid.x[0] != UINT32_MAX && (uuid.x[0] | uuid.x[1] | uuid.x[2] | uuid.x[3]) != 0,
               "four words that are not all zero", (int32_t)uuid.x[0]);
    check_rnd(TRNG_RND, 32, MOST_BITS_32);
    check_rnd(SMC64(TRNG_RND), 64, MOST_BITS_64);
}
