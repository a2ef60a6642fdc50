/* SPDX-License-Identifier: BSD-3-Clause */
/* The interrupt controller of the calling core as a client may use all of it: any priority, handlers that never end. */
#ifndef CLIENT_GIC_H
#define CLIENT_GIC_H

#include <stdint.h>

#define CLIENT_SGIS 4U /* 0 is the runtime's */

/* As a kernel does on a core that has come from off: nothing active, no running priority. Returns the SGIs that were pending, a bit each. */
uint32_t client_gic_begin(void);

void client_gic_set_priority(uint32_t sgi, uint32_t priority);
/* From any core to any, itself included. */
void client_gic_send(uint32_t sgi, uint32_t target);
/* Begins a handler of what is pending, and does not end it. */
void client_gic_acknowledge(void);

#endif
