/* What the two halves of the machine share. */
#ifndef HOST_PRIVATE_H
#define HOST_PRIVATE_H

#include "host.h"

extern struct host_machine host_machine;
extern unsigned host_relaxing; /* cores in arch_relax() */

static inline struct host_core *host_core_self(void)
{
    return &host_cores[host_self()];
}

void host_charge(enum host_operation operation, const void *object, uint64_t arg);

#endif
