/* SPDX-License-Identifier: BSD-3-Clause */
/* PSA lifecycle API, FF-M 1.1. */
#ifndef PSA_LIFECYCLE_H
#define PSA_LIFECYCLE_H

#include <stdint.h>

#define PSA_LIFECYCLE_PSA_STATE_MASK            0xFF00U
#define PSA_LIFECYCLE_IMP_STATE_MASK            0x00FFU
#define PSA_LIFECYCLE_UNKNOWN                   0x0000U
#define PSA_LIFECYCLE_ASSEMBLY_AND_TEST         0x1000U
#define PSA_LIFECYCLE_PSA_ROT_PROVISIONING      0x2000U
#define PSA_LIFECYCLE_SECURED                   0x3000U
#define PSA_LIFECYCLE_NON_PSA_ROT_DEBUG         0x4000U
#define PSA_LIFECYCLE_RECOVERABLE_PSA_ROT_DEBUG 0x5000U
#define PSA_LIFECYCLE_DECOMMISSIONED            0x6000U

/* The state of the whole system; this SPM knows one, SECURED. */
uint32_t psa_rot_lifecycle_state(void);

#endif
