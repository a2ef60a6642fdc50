/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call an id stands for, and PSCI_FEATURES, which answers the same question. */
#include "psci_private.h"
#include "trace.h"

#define ID_NUMBER 0x1FU
#define ID_64_BIT 0x40000000U
#define SMCCC_VERSION 0x80000000U

#define BIT_OF(id) (1U << ((id)&ID_NUMBER))

#define CALLS_64                                                                                                             \
    (BIT_OF(PSCI_CPU_SUSPEND) | BIT_OF(PSCI_CPU_ON) | BIT_OF(PSCI_AFFINITY_INFO) | BIT_OF(PSCI_CPU_DEFAULT_SUSPEND) |        \
     BIT_OF(PSCI_NODE_HW_STATE) | BIT_OF(PSCI_SYSTEM_SUSPEND) | BIT_OF(PSCI_STAT_RESIDENCY) | BIT_OF(PSCI_STAT_COUNT) |      \
     BIT_OF(PSCI_SYSTEM_RESET2) | BIT_OF(PSCI_MEM_PROTECT_CHECK_RANGE))

#define CALLS_32                                                                                                             \
    (CALLS_64 | BIT_OF(PSCI_VERSION) | BIT_OF(PSCI_CPU_OFF) | BIT_OF(PSCI_MIGRATE_INFO_TYPE) | BIT_OF(PSCI_SYSTEM_OFF) |     \
     BIT_OF(PSCI_SYSTEM_RESET) | BIT_OF(PSCI_FEATURES) | BIT_OF(PSCI_SET_SUSPEND_MODE) | BIT_OF(PSCI_MEM_PROTECT))

static bool is_call(uint32_t id)
{
    uint32_t calls = (id & ID_64_BIT) != 0 ? CALLS_64 : CALLS_32;

    return (id & ~(ID_64_BIT | ID_NUMBER)) == PSCI_VERSION && (calls & BIT_OF(id)) != 0;
}

static bool is_about_protection(uint32_t id)
{
    return (id & ~ID_64_BIT) == PSCI_MEM_PROTECT || (id & ~ID_64_BIT) == PSCI_MEM_PROTECT_CHECK_RANGE;
}

int64_t psci_features(uint32_t id)
{
    const int64_t original_format_with_os_initiated = 1;

    if (id == SMCCC_VERSION) {
        return PSCI_SUCCESS;
    }
    if (!is_call(id) || (is_about_protection(id) && psci.platform->mem_protect == NULL)) {
        return PSCI_NOT_SUPPORTED;
    }
    return (id & ~ID_64_BIT) == PSCI_CPU_SUSPEND ? original_format_with_os_initiated : PSCI_SUCCESS;
}

static int64_t dispatch(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    const int64_t no_trusted_os_to_migrate = 2;

    switch (id & ID_NUMBER) {
    case PSCI_VERSION & ID_NUMBER:
        return PSCI_VERSION_1_1;
    case PSCI_CPU_SUSPEND & ID_NUMBER:
        return psci_cpu_suspend((uint32_t)x1, x2, x3);
    case PSCI_CPU_OFF & ID_NUMBER:
        psci_cpu_off();
    case PSCI_CPU_ON & ID_NUMBER:
        return psci_cpu_on(x1, x2, x3);
    case PSCI_AFFINITY_INFO & ID_NUMBER:
        return psci_affinity_info(x1, x2);
    case PSCI_MIGRATE_INFO_TYPE & ID_NUMBER:
        return no_trusted_os_to_migrate;
    case PSCI_SYSTEM_OFF & ID_NUMBER:
        psci.platform->system_off();
    case PSCI_SYSTEM_RESET & ID_NUMBER:
        psci_system_reset();
    case PSCI_FEATURES & ID_NUMBER:
        return psci_features((uint32_t)x1);
    case PSCI_CPU_DEFAULT_SUSPEND & ID_NUMBER:
        return psci_cpu_suspend(psci.platform->default_suspend_state, x1, x2);
    case PSCI_NODE_HW_STATE & ID_NUMBER:
        return psci_node_hw_state(x1, x2);
    case PSCI_SYSTEM_SUSPEND & ID_NUMBER:
        return psci_system_suspend(x1, x2);
    case PSCI_SET_SUSPEND_MODE & ID_NUMBER:
        return psci_set_suspend_mode(x1);
    case PSCI_STAT_RESIDENCY & ID_NUMBER:
        return psci_stat_residency_us(x1, (uint32_t)x2);
    case PSCI_STAT_COUNT & ID_NUMBER:
        return psci_stat_count(x1, (uint32_t)x2);
    case PSCI_SYSTEM_RESET2 & ID_NUMBER:
        return psci_system_reset2((uint32_t)x1);
    case PSCI_MEM_PROTECT & ID_NUMBER:
        return psci_mem_protect((uint32_t)x1);
    case PSCI_MEM_PROTECT_CHECK_RANGE & ID_NUMBER:
        return psci_mem_protect_check_range(x1, x2);
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
    trace_event(TRACE_EXIT_PSCI, (uint32_t)result);
    trace_settle();
    return result;
}
