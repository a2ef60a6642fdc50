/* SPDX-License-Identifier: BSD-3-Clause */
#include "ledger.h"

#include <stdatomic.h>

#include "core.h"
#include "panic.h"

#define MAGIC 0x4c33UL
#define SEQUENCE_MASK 0xffffffffUL

/* granted: written by the caller only. arrived: written by the target only. */
static _Atomic uint64_t granted[MAX_CORES][MAX_CORES];
static _Atomic uint64_t arrived[MAX_CORES][MAX_CORES];

static uint64_t context_id(uint32_t caller, uint32_t target, uint64_t sequence)
{
    return MAGIC << 48 | (uint64_t)caller << 40 | (uint64_t)target << 32 | (sequence & SEQUENCE_MASK);
}

uint64_t ledger_offer(uint32_t caller, uint32_t target)
{
    return context_id(caller, target, atomic_load(&granted[caller][target]));
}

void ledger_grant(uint32_t caller, uint32_t target)
{
    atomic_fetch_add(&granted[caller][target], 1);
}

void ledger_arrive(uint64_t context)
{
    uint32_t self = core_self();
    uint32_t caller = (uint32_t)(context >> 40 & 0xff);
    uint64_t expected;

    if (caller >= core_count) {
        panic("CPU_ON arrived with context_id %lx, which no core gave", context);
    }
    expected = context_id(caller, self, atomic_load(&arrived[caller][self]));
    if (context != expected) {
        panic("CPU_ON arrived with context_id %lx instead of %lx", context, expected);
    }
    atomic_fetch_add(&arrived[caller][self], 1);
}

static uint64_t sum(_Atomic uint64_t table[MAX_CORES][MAX_CORES], uint32_t target)
{
    uint64_t total = 0;

    for (uint32_t caller = 0; caller < core_count; caller++) {
        total += atomic_load(&table[caller][target]);
    }
    return total;
}

uint64_t ledger_granted(uint32_t target)
{
    return sum(granted, target);
}

uint64_t ledger_arrived(uint32_t target)
{
    return sum(arrived, target);
}
