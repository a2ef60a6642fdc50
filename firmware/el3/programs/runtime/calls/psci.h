/* SPDX-License-Identifier: BSD-3-Clause */
/* SMCCC 1.2 and TRNG 1.0: ids. PSCI: errors, and calls for the usual cases. */
#ifndef PAYLOAD_PSCI_H
#define PAYLOAD_PSCI_H

#include <stdint.h>

#include "psci_calls.h"

#define MPIDR_AFFINITY 0xff00ffffffUL

#define SMC64(id) PSCI_ID_64(id)

#define SMCCC_VERSION 0x80000000U
#define SMCCC_ARCH_FEATURES 0x80000001U
#define SMCCC_ARCH_SOC_ID 0x80000002U
#define SMCCC_ARCH_WORKAROUND_1 0x80008000U
#define SMCCC_ARCH_WORKAROUND_3 0x80003fffU

#define TRNG_VERSION 0x84000050U
#define TRNG_FEATURES 0x84000051U
#define TRNG_GET_UUID 0x84000052U
#define TRNG_RND 0x84000053U

#define SMC_UNK (-1)

#define PSCI_SUCCESS 0
#define PSCI_NOT_SUPPORTED (-1)
#define PSCI_INVALID_PARAMETERS (-2)
#define PSCI_DENIED (-3)
#define PSCI_ALREADY_ON (-4)
#define PSCI_ON_PENDING (-5)
#define PSCI_INTERNAL_FAILURE (-6)
#define PSCI_NOT_PRESENT (-7)
#define PSCI_DISABLED (-8)
#define PSCI_INVALID_ADDRESS (-9)

#define AFFINITY_ON 0
#define AFFINITY_OFF 1
#define AFFINITY_ON_PENDING 2

/* power_state: StateID has one nibble per level (1 standby or retention, 2 powerdown), bit 16 the type, bits 25:24 the level. */
#define POWER_STATE_TYPE_POWERDOWN (1U << 16)
#define POWER_STATE_STANDBY_0 0x00000001U
#define POWER_STATE_DOWN_0 0x00010002U
#define POWER_STATE_DOWN_1 0x01010022U
#define POWER_STATE_DOWN_2 0x02010222U

/* Each returns what the firmware said, sign-extended. */
int64_t psci_affinity_info(uint64_t mpidr, uint32_t level);
int64_t psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context_id);
int64_t psci_cpu_off(void);
_Noreturn void psci_system_off(void);

#endif
