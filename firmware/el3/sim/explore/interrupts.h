/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The smallest interrupt controller in which a core can be lost: pending, active, enabled, group, priority, running priority and SGIs
 * of every core, and what its interface signals. GICv2 (IHI 0048) or GICv3 (IHI 0069); its registers are those that the drivers of
 * arch/aarch64 use, and another one breaks the run.
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "psci_platform.h"

/* The interrupts that the system has: the client's SGI, the wake SGI, the timer. */
enum interrupt { INTERRUPT_CLIENT, INTERRUPT_WAKE, INTERRUPT_TIMER, INTERRUPTS };

struct interrupt_source {
    uint16_t pending; /* a bit for each core that has sent it; GICv3 and the timer have one bit */
    uint8_t priority; /* as the secure side sees it */
    bool is_enabled;
    bool is_active;
    bool is_group_1;
};

struct interrupt_interface {
    struct interrupt_source sources[INTERRUPTS];
    uint32_t to_disable; /* GICv3: what the redistributor has been told to disable, and still has as it was */
    uint32_t active_priorities[2]; /* of each group, a bit for eight priorities */
    uint8_t mask;
    bool is_open[2];
    bool is_awake; /* GICv3: the redistributor */
    uint8_t fell_through; /* WFIs in a row that an interrupt ended and nothing was done about it */
};

struct interrupts_state {
    struct interrupt_interface cores[PSCI_MAX_CORES];
    bool distributes[2];
};

extern struct interrupts_state interrupts_state;

/* Which controller, and one of two readings of the specification: whether a pending interrupt of a closed group hides those behind it. */
struct interrupts_setup {
    unsigned version; /* 2 or 3; 0: there is none, and interrupts come by themselves */
    bool closed_hides;
    bool has_one_group; /* a GICv2 without security extensions: both worlds have all of it */
};

extern struct interrupts_setup interrupts_setup;

/* "gicv2-hide", "gicv3-pass", ..., "gicv2-plain"; false: it is none of them. */
bool interrupts_parse(const char *text);

/* As out of reset. */
void interrupts_reset(void);

/* The interface of the core asks for attention: WFI ends. */
bool interrupts_signalled(unsigned core);

/* The core's timer fires; only the normal world stops it. */
void interrupts_timer(unsigned core);

/* What a client does on the calling core: sets its interface up, takes whatever is signalled, begins a handler and does not end it, sends. */
void client_starts(void);
void client_takes(void);
void client_begins_handler(void);
void client_sends_to_others(void);

uint64_t interrupts_hash(uint64_t hash, uint64_t (*mix)(uint64_t hash, uint64_t value));

#endif
