/* SPDX-License-Identifier: BSD-3-Clause */
/* The power states that the firmware has, from those that this program knows. */
#ifndef PSCI_STRESS_POWER_STATES_H
#define PSCI_STRESS_POWER_STATES_H

#include <stdint.h>

/* Tries each one on the calling core. The four that every platform here must have are not optional: without one it panics. */
void power_states_probe(void);
uint32_t power_states_count(void);
uint32_t power_states_get(uint32_t index);

#endif
