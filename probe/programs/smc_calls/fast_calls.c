/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_calls.h"

#include <stdint.h>

#include "core_table.h"
#include "named_call.h"
#include "psci.h"
#include "smc.h"

#define SMCCC_ARCH_FEATURE_AVAILABILITY SMC64(0x80000003U)
#define SMCCC_ARCH_WORKAROUND_2 0x80007fffU
#define SMCCC_ARCH_WORKAROUND_4 0x80000004U
#define SOC_ID_VERSION 0
#define SOC_ID_REVISION 1
#define CALLS_COUNT(owner) (0x8000ff00U | (owner) << 24)
#define CALLS_UID(owner) (0x8000ff01U | (owner) << 24)
#define CALLS_REVISION(owner) (0x8000ff03U | (owner) << 24)
#define OWNER_SIP 2U
#define OWNER_STANDARD 4U
#define SDEI_VERSION 0xc4000020U
#define SDEI_FEATURES 0xc4000030U
#define UNKNOWN_CORE 0xff0000UL
#define PAGE 4096U

#define FFA_VERSION 0x84000063U
#define FFA_FEATURES 0x84000064U
#define FFA_RX_RELEASE 0x84000065U
#define FFA_RXTX_MAP SMC64(0x84000066U)
#define FFA_RXTX_UNMAP 0x84000067U
#define FFA_PARTITION_INFO_GET 0x84000068U
#define FFA_ID_GET 0x84000069U
#define FFA_SPM_ID_GET 0x84000085U
#define FFA_SUCCESS 0x84000061U
#define FFA_1_1 0x10001U
#define COUNT_ONLY 1U

static struct {
    _Alignas(PAGE) uint8_t tx[PAGE];
    uint8_t rx[PAGE];
} buffers;

static int64_t make(const char *name, uint64_t function, uint64_t x1, uint64_t x2, uint64_t x3)
{
    struct call call = { { function, x1, x2, x3 } };

    name_calls(name);
    make_call(&call);
    return (int32_t)call.x[0];
}

static void make_psci_calls(void)
{
    uint64_t self = cores[lead_index].mpidr;

    make("", PSCI_VERSION, 0, 0, 0);
    make("of CPU_SUSPEND", PSCI_FEATURES, SMC64(PSCI_CPU_SUSPEND), 0, 0);
    make("of no function", PSCI_FEATURES, PSCI_FEATURES | 0xff00, 0, 0);
    make("self", SMC64(PSCI_AFFINITY_INFO), self, 0, 0);
    make("another core", SMC64(PSCI_AFFINITY_INFO), cores[core_count - 1].mpidr, 0, 0);
    make("no core", SMC64(PSCI_AFFINITY_INFO), UNKNOWN_CORE, 0, 0);
    make("self", SMC64(PSCI_CPU_ON), self, (uint64_t)payload_secondary, 0);
    make("", PSCI_MIGRATE_INFO_TYPE, 0, 0, 0);
    make("", SMC64(PSCI_MIGRATE_INFO_UP_CPU), 0, 0, 0);
    make("level 0", SMC64(PSCI_NODE_HW_STATE), self, 0, 0);
    make("standby", SMC64(PSCI_STAT_RESIDENCY), self, POWER_STATE_STANDBY_0, 0);
    make("standby", SMC64(PSCI_STAT_COUNT), self, POWER_STATE_STANDBY_0, 0);
    make("as it is", PSCI_SET_SUSPEND_MODE, 0, 0, 0);
    make("a page of mine", SMC64(PSCI_MEM_PROTECT_CHECK_RANGE), (uint64_t)&buffers, PAGE, 0);
}

static void make_workaround(const char *name, uint32_t function)
{
    if (make(name, SMCCC_ARCH_FEATURES, function, 0, 0) >= 0) {
        make("", function, 0, 0, 0);
    }
}

static void make_architecture_calls(void)
{
    make("", SMCCC_VERSION, 0, 0, 0);
    make("of the SoC id", SMCCC_ARCH_FEATURES, SMCCC_ARCH_SOC_ID, 0, 0);
    make("version", SMCCC_ARCH_SOC_ID, SOC_ID_VERSION, 0, 0);
    make("revision", SMCCC_ARCH_SOC_ID, SOC_ID_REVISION, 0, 0);
    make("", SMCCC_ARCH_FEATURE_AVAILABILITY, 0, 0, 0);
    make_workaround("of WORKAROUND_1", SMCCC_ARCH_WORKAROUND_1);
    make_workaround("of WORKAROUND_2", SMCCC_ARCH_WORKAROUND_2);
    make_workaround("of WORKAROUND_3", SMCCC_ARCH_WORKAROUND_3);
    make_workaround("of WORKAROUND_4", SMCCC_ARCH_WORKAROUND_4);
}

void make_fast_calls(void)
{
    make_psci_calls();
    make_architecture_calls();
    make("", TRNG_VERSION, 0, 0, 0);
    make("of TRNG_RND", TRNG_FEATURES, SMC64(TRNG_RND), 0, 0);
    make("", TRNG_GET_UUID, 0, 0, 0);
    make("96 bits", TRNG_RND, 96, 0, 0);
    make("64 bits", SMC64(TRNG_RND), 64, 0, 0);
    make("192 bits", SMC64(TRNG_RND), 192, 0, 0);
    make("", SDEI_VERSION, 0, 0, 0);
    make("slots", SDEI_FEATURES, 0, 0, 0);
    make("", CALLS_UID(OWNER_SIP), 0, 0, 0);
    make("", CALLS_COUNT(OWNER_STANDARD), 0, 0, 0);
    make("", CALLS_UID(OWNER_STANDARD), 0, 0, 0);
    make("", CALLS_REVISION(OWNER_STANDARD), 0, 0, 0);
}

static void make_partition_info_call(const char *name, uint32_t flags)
{
    struct call call = { { FFA_PARTITION_INFO_GET, 0, 0, 0, 0, flags } };

    name_calls(name);
    make_call(&call);
    if ((uint32_t)call.x[0] == FFA_SUCCESS && flags != COUNT_ONLY) {
        make("", FFA_RX_RELEASE, 0, 0, 0);
    }
}

void make_ffa_calls(void)
{
    if (make("", FFA_VERSION, FFA_1_1, 0, 0) < 0) {
        return;
    }
    make("of RXTX_MAP", FFA_FEATURES, FFA_RXTX_MAP, 0, 0);
    make("", FFA_ID_GET, 0, 0, 0);
    make("", FFA_SPM_ID_GET, 0, 0, 0);
    make_partition_info_call("count", COUNT_ONLY);
    if ((uint32_t)make("a page each", FFA_RXTX_MAP, (uint64_t)buffers.tx, (uint64_t)buffers.rx, 1) == FFA_SUCCESS) {
        make_partition_info_call("all", 0);
        make("", FFA_RXTX_UNMAP, 0, 0, 0);
    }
}
