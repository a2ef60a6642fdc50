/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the API functions at an SVC gate: their places in spm_api_table (api_table.c holds them together). */
#ifndef API_NUMBERS_H
#define API_NUMBERS_H

#include "psa/framework_feature.h"

#define API_framework_version   0
#define API_version             1
#define API_connect             2
#define API_call                3
#define API_close               4
#define API_wait                5
#define API_get                 6
#define API_set_rhandle         7
#define API_read                8
#define API_skip                9
#define API_write               10
#define API_reply               11
#define API_notify              12
#define API_clear               13
#define API_eoi                 14
#define API_reset_signal        15
#define API_irq_enable          16
#define API_irq_disable         17
#define API_partition_panic     18
#define API_rot_lifecycle_state 19
#define API_second_entry        20
#if PSA_FRAMEWORK_HAS_MM_IOVEC
#define API_map_invec           21
#define API_unmap_invec         22
#define API_map_outvec          23
#define API_unmap_outvec        24
#define API_COUNT               25
#else
#define API_COUNT               21
#endif

#endif
