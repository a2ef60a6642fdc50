/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the machine is ended from outside: by a signal that QEMU takes as the wish to end. */
#ifndef PROBE_ENDING_H
#define PROBE_ENDING_H

#include <stdbool.h>

/* From here on such signals are noted, and go on to whoever handled them. Called when QEMU has set its handlers, which it has before the
 * first instruction of a machine. */
void ending_watch(void);

bool ending_was_asked(void);

#endif
