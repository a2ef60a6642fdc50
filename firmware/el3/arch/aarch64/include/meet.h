/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place at which two cores, or a core and a device, can meet. In the build `delays` the core that comes there may wait, as its host
 * may stop it anywhere; in every other build there is nothing. Any core, at any time after its first C call, in any state.
 */
#ifndef MEET_H
#define MEET_H

#if LATLAB_DELAYS
void arch_meet(void);
#define ARCH_MEET() arch_meet()
#else
#define ARCH_MEET() ((void)0)
#endif

#endif
