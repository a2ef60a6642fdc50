/* SPDX-License-Identifier: BSD-3-Clause */
/* The power states that the firmware has, from those that this program knows. */
#ifndef PSCI_STRESS_POWER_STATES_H
#define PSCI_STRESS_POWER_STATES_H

#include <stdbool.h>
#include <stdint.h>

/* Tries each one on the calling core. The four that every platform here must have are not optional: without one it panics. */
void power_states_probe(void);
/*
 * From now on domains sleep by the rules of OS-initiated mode: a state names its caller as the last core of each domain that it sends to
 * sleep, and the firmware may refuse it. Panics where the firmware does not change its mode; while every other core is off.
 */
void power_states_os_initiated(void);
bool power_states_may_be_refused(uint32_t power_state, int64_t status);
uint32_t power_states_count(void);
uint32_t power_states_get(uint32_t index);

#endif
