/* SPDX-License-Identifier: BSD-3-Clause */
/* SIGINT and SIGTERM end the reading, not the program: what was read is written and summed up. */
#ifndef PROBE_TRACES_STOP_H
#define PROBE_TRACES_STOP_H

#include <stdbool.h>

/* From now on a signal is only noted, and ends a system call that waits. */
void stop_on_signals(void);

bool stop_is_asked(void);

#endif
