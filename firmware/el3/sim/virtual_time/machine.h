/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores in virtual time: the earliest runs; what it does costs what the board says; a power controller takes time too. */
#ifndef MACHINE_H
#define MACHINE_H

#include "board.h"

/* Once per run, before psci_init(); `board` stays as it is. `normal_world` runs on each core that is started. */
void machine_init(const struct board *board, void (*normal_world)(unsigned core, uint64_t context_id));

uint64_t machine_mpidr(unsigned core);
unsigned machine_cluster(unsigned core);
unsigned machine_core_in_cluster(unsigned core);

/* By the calling core, inside host_run(). The timer ends a suspend or a standby; a sleep lasts until its time. */
uint64_t machine_now_ns(void);
void machine_sleep_until_ns(uint64_t time_ns);
void machine_set_timer_ns(uint64_t time_ns);
void machine_wait_off(unsigned core); /* only by the lead */

/* The next power message of each of these cores takes the channel in this order. Locks must serve in order of arrival. */
void machine_set_turns(const unsigned *order, unsigned count);

/* A call with its cost before the first thing it does; otherwise as host_smc(). */
enum host_outcome machine_smc(struct smc_frame *frame);

/* Power-downs that have ended, over all cores. */
extern uint64_t machine_transitions;

#endif
