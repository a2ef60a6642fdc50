/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

#define SCTLR_M 0x1U
#define SCTLR_C 0x4U
#define SCTLR_I 0x1000U

uint32_t context_of_sctlr(uint64_t sctlr)
{
    return CONTEXT_TOLD | CONTEXT_SWITCHES | (sctlr & SCTLR_I ? CONTEXT_I_CACHE : 0) | (sctlr & SCTLR_C ? CONTEXT_D_CACHE : 0) |
           (sctlr & SCTLR_M ? CONTEXT_TRANSLATION : 0);
}
