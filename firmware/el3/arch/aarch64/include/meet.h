/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place at which two cores, or a core and a device, can meet. In the build `delays` the core that comes there may wait, as its host
 * may stop it anywhere; in every other build there is nothing. Any core, at any time after its first C call, in any state.
 */
#ifndef MEET_H
#define MEET_H

/*
 * ARCH_MEET_TELLS: another core is told in two steps, and this is between them. ARCH_MEET_LEAVES: that core may be told from here on,
 * and has not yet looked. Where the first waits long and the second a little, the second step comes when the other core has been here
 * and gone again; so a seed in four makes both wait, at every other visit.
 */
#if LATLAB_DELAYS
void arch_meet(void);
void arch_meet_tells(void);
void arch_meet_leaves(void);
#define ARCH_MEET() arch_meet()
#define ARCH_MEET_TELLS() arch_meet_tells()
#define ARCH_MEET_LEAVES() arch_meet_leaves()
#else
#define ARCH_MEET() ((void)0)
#define ARCH_MEET_TELLS() ((void)0)
#define ARCH_MEET_LEAVES() ((void)0)
#endif

#endif
