/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of power_state that this platform names to others: by default, in SYSTEM_SUSPEND and in the device tree. */
#ifndef POWER_STATES_H
#define POWER_STATES_H

#define STANDBY_CORE 0x00000001U
#define SUSPEND_CORE 0x00010002U
#define SUSPEND_CLUSTER 0x01010022U
#define SUSPEND_SYSTEM 0x02012222U

#endif
