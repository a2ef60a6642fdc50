/* SPDX-License-Identifier: BSD-3-Clause */
/* What the explored system is and how it stands, for everything that moves it or looks at it. */
#ifndef SYSTEM_STATE_H
#define SYSTEM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"
#include "psci.h"
#include "psci_platform.h"

#define SYSTEM_OPERATIONS 16U
#define SYSTEM_ENTRY 0x80000000ULL

/* Arguments of a point in the platform. */
#define PLATFORM_SEEN 0U
#define PLATFORM_UNSEEN 1U

struct access {
    enum host_operation operation;
    const void *object;
    uint64_t arg;
};

/*
 * A plain store that only the core that made it sees: its store buffer, of one place. Stores to what the core shares are not held back,
 * they publish themselves (arch.h); what is stored plainly for another core is the entry of one that is switched on.
 */
struct held_store {
    struct psci_entry entry;
    uint8_t target; /* the core, plus one, whose entry it is; 0: nothing is held back */
};

/* The power controller refuses the next core that this one asks for; it has. */
enum system_refusal { REFUSAL_NONE, REFUSAL_TO_COME, REFUSAL_MADE };

/* What changes besides psci and the cores themselves. */
struct system_state {
    struct psci_entry entries[PSCI_MAX_CORES]; /* as every core sees them */
    struct held_store held[PSCI_MAX_CORES];
    uint64_t granted[PSCI_MAX_CORES]; /* the context id of the CPU_ON that a core is to come up with */
    uint8_t position[PSCI_MAX_CORES]; /* in the core's program */
    bool armed[PSCI_MAX_CORES];       /* an interrupt is still to come in this suspend */
    uint8_t refusal[PSCI_MAX_CORES];  /* of the core's CPU_ON by the power controller: enum system_refusal */
    struct access next[PSCI_MAX_CORES]; /* what the core does first in its next step; HOST_OPERATIONS: it only goes on */
    uint64_t stack_hash[PSCI_MAX_CORES]; /* a core's stack changes when it runs, at no other time */
    uint8_t read_mode[PSCI_MAX_CORES]; /* the suspend mode, as the core saw it last */
    bool in_call[PSCI_MAX_CORES];
    bool is_up[PSCI_MAX_CORES]; /* from core_up() to the next call */
    bool sleeps_off[PSCI_MAX_CORES]; /* switched off, asleep or about to be */
    bool is_cut[PSCI_MAX_DOMAINS];
    bool has_last_man[PSCI_MAX_DOMAINS];
    uint8_t owner[PSCI_MAX_DOMAINS]; /* the core, plus one, that takes it down or brings it up */
};

extern struct system_state system_state;

/* How a system is explored and what it is. */
struct system_setup {
    unsigned cores;
    unsigned clusters;
    unsigned cluster_cores[PSCI_MAX_DOMAINS];
    char programs[PSCI_MAX_CORES][SYSTEM_OPERATIONS];
    bool os_initiated; /* from the start */
    bool changes_mode; /* a program has SET_SUSPEND_MODE in it */
    bool transition_scope;
    bool every_access; /* a step each, and locks served in order of arrival: no reduction */
};

extern struct system_setup system_setup;
extern struct psci_topology system_topology;

/* Called with every access that is made, for a timeline; NULL: nobody listens. */
extern void (*system_on_access)(unsigned core, const struct access *access);

/* The context id of a CPU_ON by this core, where its program stands; never 0. */
uint64_t system_context_of(unsigned caller);

#endif
