/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupts as a firmware may find them that is called at any moment: of every priority, taken and not ended, pending for cores that
 * are off. Nothing is taken as an exception.
 */
#ifndef PAYLOAD_INTERRUPTS_H
#define PAYLOAD_INTERRUPTS_H

#include <stdint.h>

#include "random.h"

/* On a core that has arrived by CPU_ON: nothing of an earlier life of it is active. */
void interrupts_arrive(void);

/*
 * Draws the priorities of the calling core's SGIs and of its timer from all that there are. Every other time it then is inside the
 * handler of an SGI, and only the timer and what is above that SGI can interrupt it. Returns what interrupts_leave() needs.
 */
uint32_t interrupts_enter(struct random *random);
/* The same for a core that goes off: nothing has to be able to interrupt it, and it never leaves. */
void interrupts_enter_for_good(struct random *random);
void interrupts_leave(uint32_t entered);

/* SGIs of any number, the firmware's own among them, to any cores. */
void interrupts_send(struct random *random);

/* The timer of the calling core has long fired. */
void interrupts_past_timer(struct random *random);

#endif
