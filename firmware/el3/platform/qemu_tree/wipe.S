/* SPDX-License-Identifier: BSD-3-Clause */
/* Zeroes memory that EL3 does not map: MMU off, so every address is its own. x0 = base, x1 = bytes, multiples of 64.
 * For the way to a reset, when the data cache has been turned off; the MMU stays off. */
#define SCTLR_EL3_OFF 0x30c50838
.global qemu_tree_wipe
.section .text.wipe, "ax"
qemu_tree_wipe:
    ldr x2, =SCTLR_EL3_OFF
    msr sctlr_el3, x2
    isb
    add x1, x0, x1
1:  cmp x0, x1
    b.hs 2f
    stp xzr, xzr, [x0], #16
    stp xzr, xzr, [x0], #16
    stp xzr, xzr, [x0], #16
    stp xzr, xzr, [x0], #16
    b 1b
2:  dsb sy
    ret
