/* SPDX-License-Identifier: BSD-3-Clause */
/* What platform/common's parking asks of the architecture, over the cores of the simulated machine; in entry.S it is assembly language. */
#include "arch_el3.h"
#include "host_private.h"
#include "interrupts.h"

bool arch_has_gicv3(void)
{
    return interrupts_setup.version == 3;
}

void arch_timers_off(void)
{
}

void arch_warm_entry(void)
{
    longjmp(host_core_self()->asleep, 1);
}

void arch_sleep(void)
{
    arch_interrupt_wait();
    arch_warm_entry();
}
