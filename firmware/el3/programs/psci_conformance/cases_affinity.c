/* SPDX-License-Identifier: BSD-3-Clause */
/* AFFINITY_INFO and NODE_HW_STATE. */
#include "cases.h"

#include <stdbool.h>
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
#define FIELD_BITS 8U
#define FIELD_VALUES 256UL

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

/* Whether the fields from `level` up are this core's; those below are ignored. */
static bool is_named(uint32_t index, uint64_t fields, uint32_t level)
{
    return (cores[index].mpidr ^ fields) >> (FIELD_BITS * level) == 0;
}

/* While the caller alone is on. */
static int64_t affinity_of(uint64_t fields, uint32_t level)
{
    int64_t expected = PSCI_INVALID_PARAMETERS;

    for (uint32_t i = 0; i < core_count; i++) {
        if (is_named(i, fields, level)) {
            expected = i == lead_index || expected == AFFINITY_ON ? AFFINITY_ON : AFFINITY_OFF;
        }
    }
    return expected;
}

static bool is_of_lead(uint32_t index, uint32_t level)
{
    return level == 0 ? index == lead_index : level > 1 || cores[index].cluster == cores[lead_index].cluster;
}

/* NO_CORE: none, or cores of several clusters that are no affinity instances. */
static uint32_t core_of_node(uint64_t fields, uint32_t level)
{
    uint32_t found = NO_CORE;

    for (uint32_t i = 0; i < core_count; i++) {
        if (is_named(i, fields, 0)) {
            return i;
        }
    }
    for (uint32_t i = 0; i < core_count; i++) {
        if (!is_named(i, fields, level)) {
            continue;
        }
        if (found != NO_CORE && level == 1 && cores[found].cluster != cores[i].cluster) {
            return NO_CORE;
        }
        found = i;
    }
    return found;
}

static int64_t hw_state_of(uint64_t fields, uint32_t level)
{
    uint32_t core = core_of_node(fields, level);

    if (core == NO_CORE) {
        return PSCI_INVALID_PARAMETERS;
    }
    return is_of_lead(core, level) ? HW_ON : HW_OFF;
}

/* Every value of each field, beside the caller's others. */
static void check_fields(const char *call_name, uint32_t function, int64_t (*expected)(uint64_t fields, uint32_t level))
{
    uint64_t own = cores[lead_index].mpidr;
    char name[128];

    for (uint32_t level = 0; level < board.levels; level++) {
        int64_t wrong = 0;

        for (uint64_t value = 0; value < 3 * FIELD_VALUES; value++) {
            uint64_t shift = FIELD_BITS * (value / FIELD_VALUES);
            uint64_t fields = (own & ~((FIELD_VALUES - 1) << shift)) | value % FIELD_VALUES << shift;

            wrong += call(function, fields, level, 0) != expected(fields, level);
        }
        format_text(name, sizeof(name), "%s of level %u ignores the fields below it and no other", call_name, level);
        check_equal(name, 0, wrong);
    }
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
    check_fields("AFFINITY_INFO", SMC64(PSCI_AFFINITY_INFO), affinity_of);
    check_fields("NODE_HW_STATE", SMC64(PSCI_NODE_HW_STATE), hw_state_of);
    if (other_core() != NO_CORE) {
        check_states_of_other(other_core());
    }
    if (dark != NO_CORE) {
        check_call("NODE_HW_STATE of a cluster whose cores are all off is HW_OFF", HW_OFF, SMC64(PSCI_NODE_HW_STATE),
                   cores[dark].mpidr, 1, 0);
    }
}
