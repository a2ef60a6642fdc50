/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the machine share. host.c, the cores and who runs, is at the bottom; on it stands arch.c, what the firmware asks of
 * the machine; on both stands power.c, which calls the firmware.
 */
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

/* host_init(), with what every core runs at the bottom of its stack. */
void host_begin(const struct host_machine *description, unsigned boot_core, void (*core_main)(void));

bool host_is_running(void); /* inside host_run() */
bool host_is_interrupted(void);
void host_clear_unused_stack(void);
void host_charge(enum host_operation operation, const void *object, uint64_t arg);

#endif
