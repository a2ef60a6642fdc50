/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores that wait in reset.S for the one that boots. */
#include "arch.h"
#include "gic.h"
#include "qemu_tree.h"

struct arch_shared platform_is_up;

void qemu_tree_tell_the_others(unsigned cores)
{
    __asm__ volatile("dsb sy" ::: "memory"); /* what has been set up comes first */
    mmio_write32(UP_REGISTER, cores);
    arch_shared_store(&platform_is_up, cores);
    __asm__ volatile("dsb sy\n\tsev" ::: "memory");
}
