/* SPDX-License-Identifier: BSD-3-Clause */
/* A core on its way from the normal world into the firmware, down, and back through the firmware's warm boot. */
#include "host_private.h"

enum { CAME_DOWN = 1, SLEEPS = 2 };

static void sleep_until_wanted(bool for_off)
{
    if (host_machine.sleep != NULL) {
        host_clear_unused_stack();
        host_machine.sleep(host_self(), for_off);
    } else if (for_off ? !host_core_self()->wanted_on : !host_core_self()->interrupt) {
        host_block(for_off ? HOST_OFF : HOST_SUSPENDED);
    }
}

enum host_outcome host_smc(struct smc_frame *frame)
{
    struct smc_frame *volatile caller = frame;

    switch (setjmp(host_core_self()->normal_world)) {
    case CAME_DOWN:
        return HOST_DOWN;
    case SLEEPS:
        sleep_until_wanted(false);
        host_clear_unused_stack();
        host_warm_boot(host_self());
        caller->x[0] = host_core_self()->context_id;
        return HOST_RESUMED;
    default:
        smc_handle(caller);
        host_release_kept();
        host_require_no_lock("return to the normal world");
        return HOST_RETURNED;
    }
}

struct psci_entry host_warm_boot(unsigned core)
{
    struct host_core *up = &host_cores[core];

    host_become(core);
    up->caches_on = true;
    up->wait = HOST_RUNS;
    up->interrupt = false;
    up->wanted_on = false;

    const struct psci_entry *entry = psci_warm_boot(up->now_ticks);

    host_require_no_lock("entry to the normal world");
    up->context_id = entry->context_id;
    return *entry;
}

static void core_main(void)
{
    if (setjmp(host_core_self()->start) == SLEEPS || (host_machine.sleep != NULL && !host_core_self()->cold)) {
        sleep_until_wanted(true);
    }
    if (!host_core_self()->cold) {
        host_warm_boot(host_self());
    }

    unsigned core = host_self();

    host_cores[core].cold = false;
    host_machine.normal_world(core, host_cores[core].context_id);
    host_block(HOST_FINISHED);
}

/* The call's stack is left before the core sleeps: what it held is lost, as on a board, and no part of the machine's state. */
void host_power_down(unsigned core, bool for_off)
{
    struct host_core *down = &host_cores[core];

    host_release_kept();
    host_require_no_lock("power-down");
    if (core != host_self() || down->caches_on) {
        host_fail("power-down of core %u, caches %s", core, down->caches_on ? "on" : "off");
    }
    if (!host_is_running()) {
        down->wait = for_off ? HOST_OFF : HOST_SUSPENDED;
        longjmp(down->normal_world, CAME_DOWN);
    }
    if (for_off) {
        longjmp(down->start, SLEEPS);
    }
    longjmp(down->normal_world, SLEEPS);
}

void host_init(const struct host_machine *machine, unsigned boot_core)
{
    host_begin(machine, boot_core, core_main);
    for (unsigned core = 0; core < machine->cores; core++) {
        trace_init(&host_cores[core].ring, host_cores[core].records, TRACE_CAPACITY);
    }
}
