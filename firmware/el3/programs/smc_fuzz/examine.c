/* SPDX-License-Identifier: BSD-3-Clause */
#include "examine.h"

#include "panic.h"
#include "psci.h"
#include "trace_call.h"

#define SECURE_SRAM 0x0e000000UL
#define SECURE_SRAM_END 0x0f000000UL
#define REGISTERS 31

static uint32_t first_preserved(uint32_t id)
{
    switch (id) {
    case TRACE_READ:
        return 7;
    case SMCCC_ARCH_WORKAROUND_1: /* the convention lets four change; this firmware changes none that it does not refuse by */
    case SMCCC_ARCH_WORKAROUND_3:
        return 1;
    default:
        return 4;
    }
}

/* Results that are numbers of another kind, and may by chance look like an address. */
static bool returns_numbers(uint32_t id)
{
    switch (id & ~0x40000000U) {
    case TRNG_RND:
    case PMF_GET_TIMESTAMP:
    case PSCI_STAT_RESIDENCY:
    case TRACE_READ & ~0x40000000U:
        return true;
    default:
        return false;
    }
}

static _Noreturn void fail(const struct smc_frame *before, uint64_t sequence, const char *what, uint32_t n, uint64_t value)
{
    panic("smc %lu, x0=%lx x1=%lx x2=%lx x3=%lx: %s: register %u is %lx, was %lx", sequence, before->x[0], before->x[1],
          before->x[2], before->x[3], what, n, value, n < REGISTERS ? before->x[n] : 0);
}

static void examine_result(const struct fuzz_call *call, const struct smc_frame *before, uint32_t n)
{
    uint64_t value = call->frame.x[n];
    bool secure = value >= SECURE_SRAM && value < SECURE_SRAM_END;

    if (value == before->x[n]) {
        return;
    }
    if (secure && !returns_numbers((uint32_t)before->x[0])) {
        fail(before, call->sequence, "an address of secure memory came back", n, value);
    }
    if (is_canary(value)) {
        fail(before, call->sequence, "a value of another register or of an earlier call came back", n, value);
    }
}

void examine(const struct fuzz_call *call, const struct smc_frame *before)
{
    uint32_t preserved = first_preserved((uint32_t)before->x[0]);

    for (uint32_t n = 0; n < preserved; n++) {
        examine_result(call, before, n);
    }
    for (uint32_t n = preserved; n < REGISTERS; n++) {
        if (call->frame.x[n] != before->x[n]) {
            fail(before, call->sequence, "a register that has to be preserved changed", n, call->frame.x[n]);
        }
    }
    if (call->frame.sp_out != call->frame.sp_in) {
        fail(before, call->sequence, "SP changed", REGISTERS, call->frame.sp_out);
    }
    if (call->frame.daif_out != call->frame.daif_in) {
        fail(before, call->sequence, "DAIF changed", REGISTERS, call->frame.daif_out);
    }
}
