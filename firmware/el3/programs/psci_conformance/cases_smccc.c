/* SPDX-License-Identifier: BSD-3-Clause */
/* SMCCC 1.2: version, features, SoC id. */
#include "cases.h"

#include <stdint.h>

#include "check.h"
#include "psci.h"

#define VERSION_1_2 0x10002
#define SMCCC_NOT_SUPPORTED (-1)
#define SMCCC_INVALID_PARAMETER (-3)
#define SOC_ID_TYPES 2

void cases_smccc(void)
{
    int64_t id;

    check_preserving("SMCCC_VERSION is 1.2", VERSION_1_2, SMCCC_VERSION, 0, 0, 0);
    check_call("SMCCC_ARCH_FEATURES knows SMCCC_VERSION", 0, SMCCC_ARCH_FEATURES, SMCCC_VERSION, 0, 0);
    check_call("SMCCC_ARCH_FEATURES knows itself", 0, SMCCC_ARCH_FEATURES, SMCCC_ARCH_FEATURES, 0, 0);
    check_call("SMCCC_ARCH_FEATURES knows SMCCC_ARCH_SOC_ID", 0, SMCCC_ARCH_FEATURES, SMCCC_ARCH_SOC_ID, 0, 0);
    check_preserving("SMCCC_ARCH_FEATURES says NOT_SUPPORTED for an unknown id", SMCCC_NOT_SUPPORTED, SMCCC_ARCH_FEATURES,
                     0x8000fff0, 0, 0);
    check_call("SMCCC_ARCH_FEATURES says NOT_SUPPORTED for id 0xffffffff", SMCCC_NOT_SUPPORTED, SMCCC_ARCH_FEATURES, 0xffffffff,
               0, 0);
    id = call(SMCCC_ARCH_SOC_ID, 0, 0, 0);
    check_true("SMCCC_ARCH_SOC_ID gives a version", id >= 0, "a number that is not negative", id);
    id = call(SMCCC_ARCH_SOC_ID, 1, 0, 0);
    check_true("SMCCC_ARCH_SOC_ID gives a revision", id >= 0, "a number that is not negative", id);
    check_refused("SMCCC_ARCH_SOC_ID refuses an unknown type", SMCCC_INVALID_PARAMETER, SMCCC_ARCH_SOC_ID, SOC_ID_TYPES, 0, 0);
}
