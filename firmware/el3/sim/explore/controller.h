/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of the explored system: a power controller that does what it is told as soon as it can. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include "psci_platform.h"

/* Its hooks; where there is an interrupt controller, platform/common's parking is behind them. `off`: a bit for each core that starts off. */
const struct psci_platform *controller_begin(uint32_t off);

/* After every step. */
void controller_cut_domains(void);

/* What must hold between any two steps: NULL, or what does not. */
const char *controller_fault(void);

#endif
