/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is touched with a lock held alone is no access of its own in an exploration. So it is checked that it does not change
 * in a step of a core that neither held the lock before nor took it.
 */
#ifndef LOCKED_H
#define LOCKED_H

void locked_begin(unsigned core);
void locked_take(const void *lock);

/* NULL, or what has changed without its lock. */
const char *locked_fault(unsigned core);

#endif
