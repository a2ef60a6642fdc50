/* SPDX-License-Identifier: BSD-3-Clause */
/* A small system for exploration: its steps, and what must always hold. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdint.h>

#include "system_state.h"

#define SYSTEM_MOST_CHOICES (3U * PSCI_MAX_CORES)

/* "2,2" and "2|2|0|f": cores of each cluster; a program per core, a letter per call (docs/explanation/model-checking.md). NULL, or what is wrong. */
const char *system_parse(const char *clusters, const char *programs);

/* A fresh machine in which every core stands before its first call, or is off where its program begins with `-`. */
void system_start(void);

/* One step of one core, one interrupt, or one store that reaches memory. NULL, or the rule that it breaks. */
const char *system_step(unsigned choice);

/* The choices that there are: core c runs a step (c), or its interrupt comes (cores + c), what it has stored is seen (2 * cores + c). */
unsigned system_choices(unsigned *choices);

/* NULL where the system may rest like this; else what is wrong. */
const char *system_rest_fault(void);

uint64_t system_hash(void);

void system_normal_world(unsigned core, uint64_t context_id);

#endif
