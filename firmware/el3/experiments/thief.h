/* SPDX-License-Identifier: BSD-3-Clause */
/* What thief.c and its vectors share. */
#ifndef THIEF_H
#define THIEF_H

extern char thief_vectors[]; /* the firmware's own, but that an interrupt of group 0 goes to the thief */

/* On the EL3 stack of the core, all that C may change saved. */
void thief_interrupt(void);

#endif
