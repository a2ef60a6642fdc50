/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interrupt of the normal world, due at every instruction of a call: whoever watches from outside sees when its handler began. The timer
 * is EL2's, which no firmware takes with it into the secure world, so that the program has to run there. Or one of the secure world or of
 * EL3, where the firmware starts a timer for it.
 */
#ifndef SMC_CALLS_SWEEP_H
#define SMC_CALLS_SWEEP_H

#include <stdint.h>

/* Calls that can be made again and again with the same result. */
typedef void swept_calls(uint64_t argument);

#define SWEEPS 16U

/* Whose handler runs: ours, the secure world's, EL3's. */
enum sweep_interrupt { INTERRUPT_OF_EL2, INTERRUPT_OF_SECURE_WORLD, INTERRUPT_OF_EL3 };

/* Each sweep takes no more than so many instructions: the interrupts into a long call are the fewer. `only`, where there is one for each of the first
 * SWEEPS, is when its one interrupt is due, 0 for the whole sweep. */
struct sweep_plan {
    uint64_t most_instructions;
    const uint64_t *only;
    enum sweep_interrupt interrupt;
};

/* There are sweeps in this run. At EL2, before the first. */
void sweep_prepare(struct sweep_plan wanted);
/* Does nothing where sweep_prepare() was not called. */
void sweep(const char *name, swept_calls *make, uint64_t argument);

#endif
