/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact interrupt latency: a non-secure timer fired at every instruction of a call. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>

#define SWEEP_TESTS 8U

bool sweep_all(void);

#endif
