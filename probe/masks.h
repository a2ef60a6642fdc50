/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a core would take an interrupt now, by the rules of its architecture, out of the registers that say so.
 *
 * There are two lines: on AArch64 IRQ and FIQ; on M-profile every interrupt that has a priority (PRIMASK, FAULTMASK), and those of low
 * priority (BASEPRI or these); on RISC-V the interrupts of M and those of S. */
#ifndef PROBE_MASKS_H
#define PROBE_MASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "world.h"

#define MASK_LINES 2U

/* UNKNOWN where no register that can be read says it. docs/reference/probe-format.md promises these numbers to the reader. */
enum mask { MASK_OPEN = 0, MASK_MASKED = 1, MASK_UNKNOWN = 2 };

struct masks {
    enum mask lines[MASK_LINES];
};

struct masks_aarch64 {
    uint32_t level;
    bool is_aarch32; /* PSTATE is not known then */
    bool has_el2;
    uint64_t pstate;
    uint64_t scr_el3; /* SCR_NS on a machine without EL3 */
    uint64_t hcr_el2;
};

struct masks masks_of_aarch64(const struct masks_aarch64 *core);

/* Of both security states together: any of them raises the priority that the core runs at. */
struct masks masks_of_armv8m(uint64_t primasks, uint64_t faultmasks, uint64_t basepris);

/* `world` as world_of_riscv() says. A guest masks nothing of its hypervisor's. */
struct masks masks_of_riscv(uint32_t world, uint64_t mstatus);

/* Whether an exception may begin at `address`, by the register that holds the address of the vectors. */
bool masks_is_vector(enum arch arch, uint64_t vectors, uint64_t address);

/* What a hart of RISC-V says where it has taken a trap, as registers of 64 bits: `hstatus` is 0 where it has none. */
struct trap {
    uint32_t world; /* that took it */
    uint64_t mstatus, hstatus;
};

/* Whether a guest was trapped, and not the hypervisor or what runs below it. */
bool masks_trap_is_of_guest(const struct trap *trap);

/* The same, though `from`, which was told as the world before, is none of a guest: what told it does not show V. */
bool masks_trap_denies(const struct trap *trap, uint32_t from);

/* What was masked before the trap. */
struct masks masks_before_trap(const struct trap *trap);

#endif
