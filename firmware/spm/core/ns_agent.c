/* SPDX-License-Identifier: BSD-3-Clause */
#include "spm.h"

#define NON_SECURE_CLIENT_ID (-1)

static const struct spm_partition_info ns_agent_info = { .id = NON_SECURE_CLIENT_ID, .name = "ns_agent" };

struct spm_partition spm_ns_agent = { .info = &ns_agent_info };
