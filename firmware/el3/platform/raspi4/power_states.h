/* SPDX-License-Identifier: BSD-3-Clause */
/* The deepest value of power_state that there is: the cluster has no power controller. */
#ifndef POWER_STATES_H
#define POWER_STATES_H

#define SUSPEND_CORE 0x00010002U

#endif
