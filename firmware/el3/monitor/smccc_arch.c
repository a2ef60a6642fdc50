/* SPDX-License-Identifier: BSD-3-Clause */
/* SMCCC 1.2 (Arm DEN0028), section 7: the calls of the convention itself. */
#include "monitor.h"

#define SMCCC_VERSION 0x80000000U
#define SMCCC_ARCH_FEATURES 0x80000001U
#define SMCCC_ARCH_SOC_ID 0x80000002U

#define SMCCC_VERSION_1_2 0x10002U
#define INVALID_PARAMETER ((uint64_t)-3)

static bool is_workaround(uint32_t id)
{
    return id == SMCCC_ARCH_WORKAROUND_1 || id == SMCCC_ARCH_WORKAROUND_2 || id == SMCCC_ARCH_WORKAROUND_3;
}

/* A caller may use a workaround where it is not needed, and finds nothing changed. */
static int64_t arch_features(uint32_t id)
{
    if (is_workaround(id) && monitor.workaround_feature != NULL) {
        return monitor.workaround_feature(id);
    }
    return id == SMCCC_VERSION || id == SMCCC_ARCH_FEATURES || id == SMCCC_ARCH_SOC_ID ? 0 : SMCCC_NOT_SUPPORTED;
}

static uint64_t soc_id(uint32_t type)
{
    switch (type) {
    case 0:
        return monitor.soc_version;
    case 1:
        return monitor.soc_revision;
    default:
        return INVALID_PARAMETER;
    }
}

bool smccc_arch_call(uint32_t id, struct smc_frame *frame)
{
    uint32_t argument = (uint32_t)frame->x[1];

    switch (id) {
    case SMCCC_VERSION:
        frame->x[0] = SMCCC_VERSION_1_2;
        return true;
    case SMCCC_ARCH_FEATURES:
        frame->x[0] = (uint64_t)arch_features(argument);
        return true;
    case SMCCC_ARCH_SOC_ID:
        frame->x[0] = soc_id(argument);
        return true;
    case SMCCC_ARCH_WORKAROUND_1:
    case SMCCC_ARCH_WORKAROUND_2:
    case SMCCC_ARCH_WORKAROUND_3:
        if (arch_features(id) == SMCCC_NOT_SUPPORTED) {
            return false;
        }
        monitor.workaround(id);
        return true;
    default:
        return false;
    }
}
