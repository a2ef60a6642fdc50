/* SPDX-License-Identifier: BSD-3-Clause */
#include "offsets.h"
#include "spm.h"

#define SAME(structure, member, offset) _Static_assert(offsetof(struct structure, member) == (offset), #structure "." #member)

SAME(spm_kernel, active, KERNEL_ACTIVE);
SAME(spm_kernel, switch_wanted, KERNEL_SWITCH_WANTED);
SAME(spm_kernel, ready, KERNEL_READY);
SAME(spm_kernel, current, KERNEL_CURRENT);
SAME(spm_kernel, stack_limit, KERNEL_STACK_LIMIT);
SAME(spm_kernel, stack_top, KERNEL_STACK_TOP);
SAME(spm_kernel, by_rank, KERNEL_BY_RANK);
SAME(spm_partition, context.callee_saved, 0);
SAME(spm_partition, context.psp, PARTITION_PSP);
SAME(spm_partition, context.regions, PARTITION_REGIONS);
SAME(spm_partition, context.floating_point, PARTITION_FLOATING_POINT);
SAME(spm_partition, result, PARTITION_RESULT);
SAME(spm_partition, deferred, PARTITION_DEFERRED);
