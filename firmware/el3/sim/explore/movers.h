/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which accesses commute with what other cores do, and who may make which access. docs/explanation/model-checking.md
 * (Joining steps) argues it; docs/explanation/locking.md has the table of who stores what. The one rests on the other, so the other is checked.
 */
#ifndef MOVERS_H
#define MOVERS_H

#include "system_state.h"

/* Lipton, Reduction, CACM 18(12), 1975: to which side of another core's access an access can be moved. */
enum mover { MOVES_RIGHT, MOVES_BOTH, MOVES_LEFT, MOVES_NOWHERE };

enum mover mover_of(unsigned core, const struct access *access);

/* NULL where the core may make the access now; else what is wrong. */
const char *access_fault(unsigned core, const struct access *access);

/* The access is made: who owns a domain in transit changes. */
void access_made(unsigned core, const struct access *access);

#endif
