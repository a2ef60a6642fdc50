/* SPDX-License-Identifier: BSD-3-Clause */
/* Which power states a firmware takes that nobody has described. */
#ifndef PSCI_CALLS_POWER_STATES_H
#define PSCI_CALLS_POWER_STATES_H

#include <stdbool.h>
#include <stdint.h>

enum suspend_support {
    SUSPEND_WORKS,
    SUSPEND_NOT_SUPPORTED, /* PSCI_FEATURES does not have it */
    SUSPEND_NO_STATE, /* every state that this program knows is refused */
    SUSPEND_NEVER_WOKE, /* a core did not come back from one; it is lost */
};

struct power_states {
    enum suspend_support support;
    uint32_t level_0; /* the first that is taken */
    uint32_t deep;
    uint32_t lost_state; /* SUSPEND_NEVER_WOKE: the state that it did not come back from */
};

/* Tries them on one core, another one watches where there is a second. Before it, everything that needs all cores. */
struct power_states power_states_find(void);

const char *suspend_support_text(enum suspend_support support);

#endif
