/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps a function id to its call. PSCI_FEATURES reads the same table.
 *
 *   SMC dispatcher -> psci_call(id, x1, x2, x3) -> the call's function in the other files -> result, or no return
 *
 * The arguments are the caller's and unchecked: each function checks its own. Every core may be in here at once; no lock is held.
 */
#include "psci_private.h"
#include "trace.h"

#define ID_NUMBER 0x1FU
#define ID_64_BIT 0x40000000U
#define SMCCC_VERSION 0x80000000U

#define BIT_OF(id) (1U << ((id)&ID_NUMBER))

/* What the table says of each call, as the sums of its bits and as cases of a switch over its number. */
#define BIT_32(id, has_64, features, ends, answer) | BIT_OF(id)
#define BIT_64(id, has_64, features, ends, answer) | ((has_64) ? BIT_OF(id) : 0U)
#define FEATURES_CASE(id, has_64, features, ends, answer)                                                                        \
    case (id) & ID_NUMBER:                                                                                                       \
        return features;
#define ANSWER_CASE(id, has_64, features, ends, answer)                                                                          \
    case (id) & ID_NUMBER:                                                                                                       \
        return answer;

#define CALLS_32 (0U PSCI_CALLS(BIT_32))
#define CALLS_64 (0U PSCI_CALLS(BIT_64))

static bool is_call(uint32_t id)
{
    uint32_t calls = (id & ID_64_BIT) != 0 ? CALLS_64 : CALLS_32;

    return (id & ~(ID_64_BIT | ID_NUMBER)) == PSCI_VERSION && (calls & BIT_OF(id)) != 0;
}

static int64_t psci_mem_protect_features(void)
{
    return psci.platform->mem_protect == NULL ? PSCI_NOT_SUPPORTED : PSCI_PLAIN;
}

int64_t psci_features(uint32_t id)
{
    if (id == SMCCC_VERSION) {
        return PSCI_SUCCESS;
    }
    if (!is_call(id)) {
        return PSCI_NOT_SUPPORTED;
    }
    switch (id & ID_NUMBER) {
        PSCI_CALLS(FEATURES_CASE)
    default:
        return PSCI_NOT_SUPPORTED;
    }
}

static int64_t dispatch(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    switch (id & ID_NUMBER) {
        PSCI_CALLS(ANSWER_CASE)
    default:
        return PSCI_NOT_SUPPORTED;
    }
}

int64_t psci_call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    trace_event(TRACE_ENTER_PSCI, id);

    int64_t result = PSCI_NOT_SUPPORTED;

    if (is_call(id)) {
        uint64_t used = (id & ID_64_BIT) != 0 ? UINT64_MAX : UINT32_MAX;

        result = dispatch(id, x1 & used, x2 & used, x3 & used);
    }
    __asm__("" : "+r"(result)); /* the record is made of it in one place: a constant for each result makes PSCI_VERSION longer */
    trace_event(TRACE_EXIT_PSCI, (uint32_t)result);
    trace_settle();
    return result;
}
