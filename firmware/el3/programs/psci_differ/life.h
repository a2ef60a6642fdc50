/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core does between CPU_ON and CPU_OFF, drawn before it starts, and what it found. */
#ifndef LIFE_H
#define LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

struct life {
    uint32_t suspends; /* power_state, 0: none */
    uint32_t priority[4]; /* of the client's SGIs; 1 is sent to itself before CPU_OFF, 2 left pending, 3 sent while the core is off */
    bool goes_in_handler;
    bool leaves_pending;
    bool leaves_timer; /* on, in the past */
    bool past_timer;   /* of the suspend: it fires before the call */
    uint32_t sent_while_off;
    bool is_wanted_at_once; /* the next CPU_ON does not wait until the core is off, but is tried again and again until it succeeds */
};

struct found {
    uint64_t context_id;
    uint32_t pending; /* the client's SGIs, as the core came */
    bool had_timer;   /* as the core came */
    int64_t suspended;
    bool is_back;     /* from its suspend */
};

/* `may_power_down`: its suspend, too. */
struct life life_draw(struct random *random, bool may_power_down);

/* By the lead, before CPU_ON. */
void life_prepare(uint32_t core, struct life life);
/* By the lead, when the core may go on with its life. */
void life_go(uint32_t core);
/* By the core; CPU_OFF follows. */
void life_live(uint64_t context_id);
/* By the lead: how many lives the core has begun, and ended but for CPU_OFF; what the last one found. */
uint32_t life_begun(uint32_t core);
uint32_t life_ended(uint32_t core);
struct found life_found(uint32_t core);

#endif
