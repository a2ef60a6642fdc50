/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline.h"

#include <stdio.h>

#include "host_private.h"
#include "psci_private.h"
#include "system.h"

static const char *name_of(const void *object, char *text, unsigned bytes)
{
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        const struct psci_domain *candidate = &psci.domains[domain];

        if (object == &candidate->lock || object == &candidate->state || object == &candidate->wanted) {
            const char *what = object == &candidate->lock ? "lock" : object == &candidate->state ? "state" : "wanted";

            snprintf(text, bytes, " the %s of domain %u", what, domain);
            return text;
        }
    }
    for (unsigned core = 0; core < system_topology.cores; core++) {
        if (object == &psci.cores[core].state) {
            snprintf(text, bytes, " the state of core %u", core);
            return text;
        }
    }
    return object == &psci.suspend_mode ? " the suspend mode" : "";
}

static const char *name_of_value(const void *object, uint64_t value)
{
    static const char *const core_states[] = { "ON", "OFF", "ON_PENDING", "IN_RETENTION", "SUSPENDED", "FLUSHED" };
    static const char *const domain_states[] = { "ON", "GOING_DOWN", "DOWN", "COMING_UP" };

    for (unsigned core = 0; core < system_topology.cores; core++) {
        if (object == &psci.cores[core].state && value < sizeof(core_states) / sizeof(core_states[0])) {
            return core_states[value];
        }
    }
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        if (object == &psci.domains[domain].state && value < sizeof(domain_states) / sizeof(domain_states[0])) {
            return domain_states[value];
        }
    }
    return value != 0 ? "yes" : "no";
}

static void print_access(unsigned core, const struct access *access)
{
    static const char *const names[HOST_OPERATIONS] = {
        [HOST_LOCK_ACQUIRE] = "takes",
        [HOST_LOCK_RELEASE] = "releases",
        [HOST_SHARED_LOAD] = "reads",
        [HOST_SHARED_STORE] = "writes",
        [HOST_SHARED_COMPARE_SWAP] = "swaps",
        [HOST_EVENT_WAIT] = "waits for an event",
        [HOST_EVENT_SEND] = "sends an event",
        [HOST_INTERRUPT_WAIT] = "waits for an interrupt",
        [HOST_CACHE_POWER_DOWN] = "flushes its caches",
        [HOST_PUBLISH] = "publishes what it has stored",
        [HOST_DEVICE] = "uses the interrupt controller",
        [HOST_PLATFORM] = "goes on",
    };
    char object[48];

    (void)core;
    if (access->operation == HOST_PLATFORM && access->arg == PLATFORM_SEEN) {
        printf("; tells the platform");
        return;
    }
    printf("; %s%s", names[access->operation], name_of(access->object, object, sizeof(object)));
    if (access->operation == HOST_SHARED_STORE) {
        printf(": %s", name_of_value(access->object, access->arg));
    }
}

static bool is_choice(unsigned choice)
{
    unsigned choices[SYSTEM_MOST_CHOICES];
    unsigned count = system_choices(choices);

    for (unsigned i = 0; i < count; i++) {
        if (choices[i] == choice) {
            return true;
        }
    }
    return false;
}

static const char *print_step(unsigned at, unsigned choice)
{
    static const char *const kinds[] = { "", "; its interrupt comes", "; what it has stored is seen" };

    printf("%4u  core %u%s", at, choice % system_setup.cores, kinds[choice / system_setup.cores]);
    const char *fault = system_step(choice);

    printf("\n");
    return fault;
}

bool timeline_print(const unsigned *choices, unsigned count)
{
    unsigned left[SYSTEM_MOST_CHOICES];
    const char *fault = NULL;
    bool is_path = true;

    system_start();
    system_on_access = print_access;
    for (unsigned i = 0; i < count && fault == NULL && is_path; i++) {
        is_path = is_choice(choices[i]);
        fault = is_path ? print_step(i, choices[i]) : NULL;
    }
    system_on_access = NULL;
    if (!is_path) {
        return false;
    }
    if (fault == NULL && system_choices(left) != 0) {
        printf("      no rule is broken so far, and the system can go on\n");
        return true;
    }
    if (fault == NULL) {
        fault = system_rest_fault();
    }
    printf(fault != NULL ? "      BROKEN: %s\n" : "      no rule is broken\n", fault);
    return true;
}
