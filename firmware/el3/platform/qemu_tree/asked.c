/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of the normal world ask about the machine: on the paths that are measured, unlike what finds it out at boot. */
#include "qemu_tree.h"

struct tree_machine qemu_tree_machine;

bool qemu_tree_is_ns_memory(uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < qemu_tree_machine.ranges; i++) {
        const struct tree_range *range = &qemu_tree_machine.memory[i];

        if (address >= range->base && bytes <= range->bytes && address - range->base <= range->bytes - bytes) {
            return true;
        }
    }
    return false;
}

int qemu_tree_core_of_mpidr(uint64_t mpidr)
{
    unsigned core = (unsigned)(((mpidr >> 8 & 0xFFU) << AFF1_SHIFT) + (mpidr & 0xFFU));

    return core < qemu_tree_machine.cores && qemu_tree_mpidr_of(core) == mpidr ? (int)core : -1;
}

uint64_t qemu_tree_mpidr_of_core(unsigned core)
{
    return qemu_tree_mpidr_of(core);
}
