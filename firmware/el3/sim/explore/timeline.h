/* SPDX-License-Identifier: BSD-3-Clause */
/* A path through the system, made again from its choices and printed step by step. */
#ifndef EXPLORE_TIMELINE_H
#define EXPLORE_TIMELINE_H

#include <stdbool.h>

/* Every access of every step, and how it ends. False where a choice cannot be made there. */
bool timeline_print(const unsigned *choices, unsigned count);

#endif
