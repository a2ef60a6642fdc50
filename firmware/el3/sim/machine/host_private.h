/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the machine share. */
#ifndef HOST_PRIVATE_H
#define HOST_PRIVATE_H

#include "host.h"

extern struct host_machine host_machine;
struct host_list {
    unsigned cores[HOST_MAX_CORES];
    unsigned count;
};

extern struct host_list host_watchers; /* in arch_relax() */
extern struct host_list host_waiters;  /* in arch_event_wait() */
extern uint64_t host_events;   /* sent so far */

static inline struct host_core *host_core_self(void)
{
    return &host_cores[host_self()];
}

bool host_is_interrupted(void);
void host_charge(enum host_operation operation, const void *object, uint64_t arg);

#endif
