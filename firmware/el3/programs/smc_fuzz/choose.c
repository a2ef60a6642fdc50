/* SPDX-License-Identifier: BSD-3-Clause */
#include "choose.h"

#include <stddef.h>

#include "arguments.h"
#include "core.h"
#include "psci.h"
#include "trace_call.h"

#define CANARY_TAG 0xca11ab1eUL
#define SVE_HINT (1U << 16)

#define IDS(id, has_64, features, ends, answer) id, (has_64) ? SMC64(id) : (id),
#define ENDS_CASE(id, has_64, features, ends, answer)                                                                           \
    case id:                                                                                                                     \
        return ((has_64) || !is_64) && (ends);

static const uint32_t known_ids[] = {
    PSCI_CALLS(IDS) PSCI_MIGRATE,
    PSCI_MIGRATE_INFO_UP_CPU,
    PSCI_CPU_FREEZE,
    SMCCC_VERSION,
    SMCCC_ARCH_FEATURES,
    SMCCC_ARCH_SOC_ID,
    SMCCC_ARCH_WORKAROUND_1,
    SMCCC_ARCH_WORKAROUND_3,
    TRNG_VERSION,
    TRNG_FEATURES,
    TRNG_GET_UUID,
    TRNG_RND,
    SMC64(TRNG_RND),
    PMF_GET_TIMESTAMP,
    PMF_GET_VERSION,
    SMC64(PMF_GET_TIMESTAMP),
    SMC64(PMF_GET_VERSION),
    TRACE_INFO,
    TRACE_TOPOLOGY,
    TRACE_STATUS,
    TRACE_READ,
    TRACE_BUILD,
};

/* Where ids lie close together: the beginning of a range, and how many are tried. */
static const struct {
    uint32_t base;
    uint32_t count;
} id_ranges[] = {
    { 0x84000000, 0x60 },  { 0xc4000000, 0x60 }, { 0x8400ff00, 0x4 },  { 0x80000000, 0x10 }, { 0xc0000000, 0x10 },
    { 0x80007f00, 0x200 }, { 0x87000000, 0x60 }, { 0xc7000000, 0x60 }, { 0xc2000000, 0x20 }, { 0x8700ff00, 0x4 },
};

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

uint64_t canary(uint64_t sequence, uint32_t n)
{
    return CANARY_TAG << 32 | (sequence & 0x7ffffff) << 5 | n;
}

bool is_canary(uint64_t value)
{
    return value >> 32 == CANARY_TAG;
}

static uint32_t choose_id(struct random *random)
{
    uint32_t percent = random_below(random, 100);
    uint32_t any = (uint32_t)random_next(random);
    uint32_t i;

    if (percent < 55) {
        return known_ids[random_below(random, COUNT(known_ids))];
    }
    if (percent < 75) {
        i = random_below(random, COUNT(id_ranges));
        return id_ranges[i].base + random_below(random, id_ranges[i].count);
    }
    if (percent < 82) {
        return known_ids[random_below(random, COUNT(known_ids))] | 1U << (16 + random_below(random, 8));
    }
    if (percent < 88) {
        return known_ids[random_below(random, COUNT(known_ids))] ^ 1U << random_below(random, 32);
    }
    if (percent < 94) {
        return 0x80000000U | (any & 0x7f00ffffU);
    }
    return any;
}

/* Some firmware may ignore the hint bit, so it does not make an id harmless. */
static bool ends_run(uint32_t id, uint32_t x1, uint32_t x2)
{
    bool is_64 = (id & PSCI_ID_64(0)) != 0;

    switch (id & ~(SVE_HINT | PSCI_ID_64(0))) {
        PSCI_CALLS(ENDS_CASE)
    default:
        return false;
    }
}

static void choose_suspend(struct fuzz_call *call, struct random *random, uint32_t id)
{
    uint64_t *x = call->frame.x;
    bool has_power_state = (id & ~0x40000000U) == PSCI_CPU_SUSPEND;
    uint32_t entry_register = has_power_state ? 2 : 1;

    call->may_suspend = true;
    x[1] = choose_power_state(random);
    x[entry_register] = choose_entry(random, payload_resume, &call->entry_is_own);
    call->context_id = x[entry_register + 1];
}

static void choose_arguments(struct fuzz_call *call, struct random *random, uint32_t id)
{
    uint64_t *x = call->frame.x;

    for (uint32_t n = 1; n <= 3; n++) {
        if (random_below(random, 2) == 0) {
            x[n] = choose_value(random);
        }
    }
    switch (id & ~(SVE_HINT | 0x40000000U)) {
    case PSCI_CPU_SUSPEND:
    case PSCI_CPU_DEFAULT_SUSPEND:
    case PSCI_SYSTEM_SUSPEND:
        choose_suspend(call, random, id & ~SVE_HINT);
        break;
    case PSCI_CPU_ON:
        call->may_start_core = true;
        x[1] = choose_mpidr(random);
        x[2] = choose_entry(random, payload_secondary, &call->entry_is_own);
        call->context_id = x[3];
        break;
    case PSCI_AFFINITY_INFO:
    case PSCI_NODE_HW_STATE:
        x[1] = choose_mpidr(random);
        x[2] = random_below(random, 5);
        break;
    case PSCI_STAT_COUNT:
    case PSCI_STAT_RESIDENCY:
        x[1] = choose_mpidr(random);
        x[2] = choose_power_state(random);
        break;
    case PSCI_FEATURES:
    case SMCCC_ARCH_FEATURES:
    case TRNG_FEATURES:
        x[1] = choose_id(random);
        break;
    case PMF_GET_TIMESTAMP:
        x[1] = PMF_RUNTIME_INSTRUMENTATION(random_below(random, 8)) ^ (random_below(random, 4) == 0 ? choose_value(random) : 0);
        x[2] = choose_mpidr(random);
        break;
    case TRACE_STATUS & ~0x40000000U:
    case TRACE_READ & ~0x40000000U:
        x[1] = choose_mpidr(random);
        break;
    default:
        break;
    }
}

void choose_call(struct fuzz_call *call, struct random *random, uint64_t sequence)
{
    uint32_t id;

    *call = (struct fuzz_call) { .sequence = sequence };
    for (uint32_t n = 1; n < 31; n++) {
        call->frame.x[n] = canary(sequence, n);
    }
    do {
        id = choose_id(random);
        choose_arguments(call, random, id);
    } while (ends_run(id, (uint32_t)call->frame.x[1], (uint32_t)call->frame.x[2]));
    call->frame.x[0] = id;
    if (random_below(random, 16) == 0) {
        call->frame.x[0] |= random_next(random) << 32;
    }
}
