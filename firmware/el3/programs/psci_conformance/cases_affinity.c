/* SPDX-License-Identifier: BSD-3-Clause */
/* AFFINITY_INFO and NODE_HW_STATE. */
#include "cases.h"

#include <stdint.h>

#include "board.h"
#include "check.h"
#include "core.h"
#include "format.h"
#include "others.h"
#include "psci.h"

#define HW_ON 0
#define HW_OFF 1
#define UNKNOWN_CORE 0xff

static void check_bad_arguments(const char *call_name, uint32_t function)
{
    uint64_t own = cores[lead_index].mpidr;
    char name[128];

    format_text(name, sizeof(name), "%s of an unknown core returns INVALID_PARAMETERS", call_name);
    check_refused(name, PSCI_INVALID_PARAMETERS, function, UNKNOWN_CORE, 0, 0);
    format_text(name, sizeof(name), "%s with a reserved bit of its target set returns INVALID_PARAMETERS", call_name);
    check_refused(name, PSCI_INVALID_PARAMETERS, function, own | 1UL << 31, 0, 0);
    format_text(name, sizeof(name), "%s above the highest level returns INVALID_PARAMETERS", call_name);
    check_refused(name, PSCI_INVALID_PARAMETERS, function, own, board.levels, 0);
    format_text(name, sizeof(name), "%s of level 0xffffffff returns INVALID_PARAMETERS", call_name);
    check_refused(name, PSCI_INVALID_PARAMETERS, function, own, 0xffffffff, 0);
}

static void check_states_of_other(uint32_t index)
{
    uint64_t mpidr = cores[index].mpidr;

    check_call("AFFINITY_INFO (32-bit) of a core that is off is OFF", AFFINITY_OFF, PSCI_AFFINITY_INFO, mpidr, 0, 0);
    check_call("NODE_HW_STATE of a core that is off is HW_OFF", HW_OFF, SMC64(PSCI_NODE_HW_STATE), mpidr, 0, 0);
    other_start(index);
    check_call("AFFINITY_INFO (32-bit) of a running core is ON", AFFINITY_ON, PSCI_AFFINITY_INFO, mpidr, 0, 0);
    check_call("NODE_HW_STATE of a running core is HW_ON", HW_ON, SMC64(PSCI_NODE_HW_STATE), mpidr, 0, 0);
    other_stop(index);
}

static uint32_t core_in_dark_cluster(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i].cluster != cores[lead_index].cluster) {
            return i;
        }
    }
    return NO_CORE;
}

void cases_affinity(void)
{
    uint64_t own = cores[lead_index].mpidr;
    uint32_t dark = core_in_dark_cluster();
    char name[96];

    check_call("AFFINITY_INFO of the caller is ON", AFFINITY_ON, SMC64(PSCI_AFFINITY_INFO), own, 0, 0);
    check_bad_arguments("AFFINITY_INFO", PSCI_AFFINITY_INFO);
    check_bad_arguments("AFFINITY_INFO (64-bit)", SMC64(PSCI_AFFINITY_INFO));
    check_bad_arguments("NODE_HW_STATE", PSCI_NODE_HW_STATE);
    check_bad_arguments("NODE_HW_STATE (64-bit)", SMC64(PSCI_NODE_HW_STATE));
    for (uint32_t level = 0; level < board.levels; level++) {
        format_text(name, sizeof(name), "NODE_HW_STATE of the caller's level %u is HW_ON", level);
        check_call(name, HW_ON, SMC64(PSCI_NODE_HW_STATE), own, level, 0);
    }
    if (other_core() != NO_CORE) {
        check_states_of_other(other_core());
    }
    if (dark != NO_CORE) {
        check_call("NODE_HW_STATE of a cluster whose cores are all off is HW_OFF", HW_OFF, SMC64(PSCI_NODE_HW_STATE),
                   cores[dark].mpidr, 1, 0);
    }
}
