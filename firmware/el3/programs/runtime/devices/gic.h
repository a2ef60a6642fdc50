/* SPDX-License-Identifier: BSD-3-Clause */
/* GICv2 or GICv3, only what a poller needs: the timer PPI and SGIs, never taken as exceptions. */
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

#define GIC_SGIS 16U /* the firmware may keep some of them */
#define GIC_TIMER_PPI 30U
#define GIC_NONE 1023U

/* SGI `id` to a core, which need not be on. */
void gic_send(uint32_t index, uint32_t id);
/* Of a private interrupt of the calling core, and that it is enabled. */
void gic_open(uint32_t id, uint8_t priority);
/*
 * What a handler does first and last, in a core that takes no interrupts: it takes the one that is signalled, which runs from then on
 * and masks all that are not of higher priority, and ends it. GIC_NONE: none is signalled. gic_id() is which one it is.
 */
uint32_t gic_acknowledge(void);
void gic_end(uint32_t acknowledged);
static inline uint32_t gic_id(uint32_t acknowledged)
{
    return acknowledged & 0x3ff;
}
/* The calling core's private interrupts: what an earlier life of it took and did not end may come again. */
void gic_forget_active(void);

#endif
