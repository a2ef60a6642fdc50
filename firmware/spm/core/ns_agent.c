/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The non-secure side as one partition, whose id is that of the client that runs there.
 *
 *   non-secure entry functions -> spm_ns_client_register(), spm_ns_client_select(); a second entry while one is active -> a panic
 *
 * The first two do not pass the gate: a non-secure handler may call them in the middle of each other, and of nothing else.
 */
#include "spm.h"

#define FIRST_CLIENT_ID (-1)
#define RANGES          4U

struct range {
    int32_t first;
    int32_t last;
};

static const struct spm_partition_info ns_agent_info = { .name = "ns_agent" };
static struct range ranges[RANGES];
static atomic_uint range_count;

struct spm_partition spm_ns_agent = { .info = &ns_agent_info, .id = FIRST_CLIENT_ID };

/*
 * A non-secure handler may come in the middle of another's registration: then one of the two is lost, which is their business,
 * but nothing is written behind the table, and no range is used before it is whole.
 */
psa_status_t spm_ns_client_register(int32_t first, int32_t last)
{
    uint32_t count = atomic_load(&range_count);

    if (first > last || last >= 0) {
        return PSA_ERROR_INVALID_ARGUMENT;
    }
    if (count == RANGES) {
        return PSA_ERROR_INSUFFICIENT_MEMORY;
    }
    ranges[count] = (struct range){ first, last };
    atomic_store(&range_count, count + 1U);
    return PSA_SUCCESS;
}

spm_word spm_second_entry(void)
{
    spm_panic(spm_arch_is_in_gateway() ? SPM_CAUSE_RE_ENTRY : SPM_CAUSE_NUMBER);
}

psa_status_t spm_ns_client_select(int32_t id)
{
    uint32_t count = atomic_load(&range_count);

    for (uint32_t i = 0; i < count; i++) {
        if (id >= ranges[i].first && id <= ranges[i].last) {
            spm_ns_agent.id = id;
            return PSA_SUCCESS;
        }
    }
    return PSA_ERROR_INVALID_ARGUMENT;
}
