/* SPDX-License-Identifier: BSD-3-Clause */
/* Which places wait, and how long, in the build `delays`: a function of a seed, and different ones for each seed. */
#ifndef DELAYS_H
#define DELAYS_H

#include <stdint.h>

/* Given by the platform before another core runs; 0, as at first: nobody waits. */
extern uint64_t delays_seed;

/* What has waited so far; read from outside. A place is the address that the call of arch_meet() returns to. */
#define DELAYS_PLACES 256U
struct delays_place {
    uint64_t place; /* 0: none */
    uint64_t waits;
    uint64_t longest_ticks;
};
extern struct delays_place delays_places[DELAYS_PLACES];

#endif
