/* SPDX-License-Identifier: BSD-3-Clause */
#include "named_call.h"

#include <stddef.h>

#include "psci.h"
#include "smc.h"

#define MARK_NAME 0x4c4d0005U /* of PSCI_FEATURES, whose answer is NOT_SUPPORTED on every firmware */
#define LETTERS 8U
#define LETTER_BITS 8U

static uint64_t letters_from(const char *name, size_t first)
{
    uint64_t word = 0;

    for (size_t i = 0; i < first + LETTERS && name[i] != '\0'; i++) {
        if (i >= first) {
            word |= (uint64_t)(uint8_t)name[i] << (LETTER_BITS * (i - first));
        }
    }
    return word;
}

void make_call(struct call *call)
{
    register uint64_t x0 __asm__("x0") = call->x[0];
    register uint64_t x1 __asm__("x1") = call->x[1];
    register uint64_t x2 __asm__("x2") = call->x[2];
    register uint64_t x3 __asm__("x3") = call->x[3];
    register uint64_t x4 __asm__("x4") = call->x[4];
    register uint64_t x5 __asm__("x5") = call->x[5];
    register uint64_t x6 __asm__("x6") = call->x[6];
    register uint64_t x7 __asm__("x7") = call->x[7];
    uint64_t masks;

    __asm__ volatile("mrs %8, daif; msr daifclr, #3; smc #0; msr daif, %8"
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4), "+r"(x5), "+r"(x6), "+r"(x7), "=&r"(masks)
                     :
                     : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "memory");
    *call = (struct call) { { x0, x1, x2, x3, x4, x5, x6, x7 } };
}

void name_calls(const char *name)
{
    smc(PSCI_FEATURES, MARK_NAME, letters_from(name, 0), letters_from(name, LETTERS));
}
