/* SPDX-License-Identifier: BSD-3-Clause */
/* PSCI_VERSION, PSCI_FEATURES, MIGRATE_INFO_TYPE. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "format.h"
#include "psci.h"

#define VERSION_1_3 0x10003
#define SUSPEND_HAS_OS_INITIATED 1
#define NO_TRUSTED_OS_TO_MIGRATE 2

struct feature {
    const char *name;
    uint32_t function;
    int64_t expected;
};

static const struct feature features[] = {
    { "PSCI_VERSION", PSCI_VERSION, 0 },
    { "CPU_SUSPEND", PSCI_CPU_SUSPEND, SUSPEND_HAS_OS_INITIATED },
    { "CPU_SUSPEND (64-bit)", SMC64(PSCI_CPU_SUSPEND), SUSPEND_HAS_OS_INITIATED },
    { "CPU_OFF", PSCI_CPU_OFF, 0 },
    { "CPU_ON", PSCI_CPU_ON, 0 },
    { "CPU_ON (64-bit)", SMC64(PSCI_CPU_ON), 0 },
    { "AFFINITY_INFO", PSCI_AFFINITY_INFO, 0 },
    { "AFFINITY_INFO (64-bit)", SMC64(PSCI_AFFINITY_INFO), 0 },
    { "MIGRATE_INFO_TYPE", PSCI_MIGRATE_INFO_TYPE, 0 },
    { "SYSTEM_OFF", PSCI_SYSTEM_OFF, 0 },
    { "SYSTEM_RESET", PSCI_SYSTEM_RESET, 0 },
    { "PSCI_FEATURES", PSCI_FEATURES, 0 },
    { "CPU_DEFAULT_SUSPEND", PSCI_CPU_DEFAULT_SUSPEND, 0 },
    { "CPU_DEFAULT_SUSPEND (64-bit)", SMC64(PSCI_CPU_DEFAULT_SUSPEND), 0 },
    { "NODE_HW_STATE", PSCI_NODE_HW_STATE, 0 },
    { "NODE_HW_STATE (64-bit)", SMC64(PSCI_NODE_HW_STATE), 0 },
    { "SYSTEM_SUSPEND", PSCI_SYSTEM_SUSPEND, 0 },
    { "SYSTEM_SUSPEND (64-bit)", SMC64(PSCI_SYSTEM_SUSPEND), 0 },
    { "SET_SUSPEND_MODE", PSCI_SET_SUSPEND_MODE, 0 },
    { "STAT_RESIDENCY", PSCI_STAT_RESIDENCY, 0 },
    { "STAT_RESIDENCY (64-bit)", SMC64(PSCI_STAT_RESIDENCY), 0 },
    { "STAT_COUNT", PSCI_STAT_COUNT, 0 },
    { "STAT_COUNT (64-bit)", SMC64(PSCI_STAT_COUNT), 0 },
    { "SYSTEM_RESET2", PSCI_SYSTEM_RESET2, 0 },
    { "SYSTEM_RESET2 (64-bit)", SMC64(PSCI_SYSTEM_RESET2), 0 },
    { "MEM_PROTECT", PSCI_MEM_PROTECT, 0 },
    { "MEM_PROTECT_CHECK_RANGE", PSCI_MEM_PROTECT_CHECK_RANGE, 0 },
    { "MEM_PROTECT_CHECK_RANGE (64-bit)", SMC64(PSCI_MEM_PROTECT_CHECK_RANGE), 0 },
    { "SYSTEM_OFF2", PSCI_SYSTEM_OFF2, PSCI_HIBERNATE_OFF },
    { "SYSTEM_OFF2 (64-bit)", SMC64(PSCI_SYSTEM_OFF2), PSCI_HIBERNATE_OFF },
    { "SMCCC_VERSION", SMCCC_VERSION, 0 },
    { "MIGRATE, which needs a trusted OS", PSCI_MIGRATE, PSCI_NOT_SUPPORTED },
    { "MIGRATE_INFO_UP_CPU, which needs a trusted OS", PSCI_MIGRATE_INFO_UP_CPU, PSCI_NOT_SUPPORTED },
    { "CPU_FREEZE", PSCI_CPU_FREEZE, PSCI_NOT_SUPPORTED },
    { "a 64-bit PSCI_VERSION, which does not exist", SMC64(PSCI_VERSION), PSCI_NOT_SUPPORTED },
    { "a 64-bit CPU_OFF, which does not exist", SMC64(PSCI_CPU_OFF), PSCI_NOT_SUPPORTED },
    { "a 64-bit SYSTEM_OFF, which does not exist", SMC64(PSCI_SYSTEM_OFF), PSCI_NOT_SUPPORTED },
    { "a PSCI id that is reserved", 0x8400001f, PSCI_NOT_SUPPORTED },
    { "an id with reserved bits", 0x84020001, PSCI_NOT_SUPPORTED },
    { "a yielding call", 0x04000001, PSCI_NOT_SUPPORTED },
    { "id 0xffffffff", 0xffffffff, PSCI_NOT_SUPPORTED },
};

static bool is_missing(uint32_t function)
{
    bool is_mem_protect = function == PSCI_MEM_PROTECT || (function & ~0x40000000U) == PSCI_MEM_PROTECT_CHECK_RANGE;

    return is_mem_protect && !board.has_mem_protect;
}

static void check_feature(const struct feature *feature)
{
    int64_t expected = is_missing(feature->function) ? PSCI_NOT_SUPPORTED : feature->expected;
    char name[128];

    format_text(name, sizeof(name), "PSCI_FEATURES answers for %s", feature->name);
    check_call(name, expected, PSCI_FEATURES, feature->function, 0, 0);
}

void cases_identity(void)
{
    check_call("PSCI_VERSION is 1.3", VERSION_1_3, PSCI_VERSION, 0, 0, 0);
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        check_feature(&features[i]);
    }
    check_call("MIGRATE_INFO_TYPE says that no trusted OS needs migration", NO_TRUSTED_OS_TO_MIGRATE, PSCI_MIGRATE_INFO_TYPE, 0,
               0, 0);
    check_preserving("MIGRATE is not supported", PSCI_NOT_SUPPORTED, PSCI_MIGRATE, 0, 0, 0);
    check_preserving("MIGRATE (64-bit) is not supported", PSCI_NOT_SUPPORTED, SMC64(PSCI_MIGRATE), 0, 0, 0);
    check_preserving("MIGRATE_INFO_UP_CPU is not supported", PSCI_NOT_SUPPORTED, PSCI_MIGRATE_INFO_UP_CPU, 0, 0, 0);
    check_preserving("CPU_FREEZE is not supported", PSCI_NOT_SUPPORTED, PSCI_CPU_FREEZE, 0, 0, 0);
}
