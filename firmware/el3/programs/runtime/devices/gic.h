/* SPDX-License-Identifier: BSD-3-Clause */
/* GICv2 or GICv3, only what a poller needs: the timer PPI and one SGI, never taken as exceptions. */
#ifndef PAYLOAD_GIC_H
#define PAYLOAD_GIC_H

#include <stdint.h>

/* Once, on the boot core, before any core waits. */
void gic_init(void);
/* Needed at every arrival of a core: power-on, and resume from powerdown. */
void gic_core_init(void);
/* 2 or 3. */
uint32_t gic_version(void);

/* WFI, then everything that is pending and enabled is acknowledged and dropped, except the level of a running timer. */
void gic_wait_interrupt(void);
/* Ends the wait of another core. What was stored before is visible to it. */
void gic_wake_core(uint32_t index);

#endif
