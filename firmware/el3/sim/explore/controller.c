/* SPDX-License-Identifier: BSD-3-Clause */
/* The power controller and what else the platform is, with the rules that it lives by. */
#include <stdio.h>

#include "controller.h"
#include "host_private.h"
#include "interrupts.h"
#include "movers.h"
#include "parked.h"
#include "psci_private.h"
#include "system_state.h"

static struct psci_platform parking; /* none without an interrupt controller */

static bool is_above(unsigned core, const struct psci_domain_shape *shape)
{
    return core - shape->first_core < shape->cores;
}

static bool has_stopped(unsigned core)
{
    enum host_wait wait = host_cores[core].wait;

    return wait == HOST_SUSPENDED || wait == HOST_OFF || (wait == HOST_IN_STANDBY && !host_cores[core].caches_on);
}

/* The controller cuts a domain that it was told to cut as soon as every core in it has stopped. */
void controller_cut_domains(void)
{
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        bool all_stopped = true;

        for (unsigned core = 0; core < system_topology.cores; core++) {
            all_stopped = all_stopped && (!is_above(core, &system_topology.shapes[domain]) || has_stopped(core));
        }
        if (all_stopped && system_state.has_last_man[domain]) {
            system_state.is_cut[domain] = true;
        }
    }
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    return address >= SYSTEM_ENTRY && bytes != 0;
}

static int core_of_mpidr(uint64_t mpidr)
{
    return mpidr < system_topology.cores ? (int)mpidr : -1;
}

static uint64_t mpidr_of_core(unsigned core)
{
    return core;
}

static bool core_on(unsigned core)
{
    uint8_t *refusal = &system_state.refusal[host_self()];

    host_require_no_lock("switching a core on");
    if (*refusal == REFUSAL_TO_COME) {
        *refusal = REFUSAL_MADE;
        return false;
    }
    if (parking.core_on != NULL) {
        return parking.core_on(core);
    }
    host_switch_on(core);
    return true;
}

/* In the normal world, or on its way down without having agreed that its domains sleep. On its way up, it waits for them. */
static bool is_awake(unsigned core)
{
    const struct psci_core *psci_core = &psci.cores[core];

    return !system_state.in_call[core] ||
           ((psci_core->state.value == PSCI_CORE_ON || psci_core->state.value == PSCI_CORE_SUSPENDING) && psci_core->vote.running == PSCI_VOTE_AWAKE.running);
}

static void check_message(unsigned core, unsigned domain)
{
    for (unsigned other = 0; other < system_topology.cores; other++) {
        if (other != core && is_above(other, &system_topology.shapes[domain]) && is_awake(other) && !has_stopped(other)) {
            host_fail("cuts domain %u while core %u runs in it", domain, other);
        }
    }
    if (system_state.has_last_man[domain]) {
        host_fail("is a second last man of domain %u", domain);
    }
    system_state.has_last_man[domain] = true;
}

static void power_message(unsigned core, enum psci_level level)
{
    host_point(HOST_PLATFORM, NULL, level == PSCI_LEVEL_CORE ? PLATFORM_UNSEEN : PLATFORM_SEEN);
    for (unsigned domain = system_topology.domain_of_core[core], at = 1; at <= (unsigned)level; at++) {
        check_message(core, domain);
        domain = system_topology.shapes[domain].parent;
    }
    host_release_kept();
}

/* Whoever is up must find its domains on. */
static const char *domains_fault(unsigned core)
{
    static char text[80];

    for (unsigned domain = system_topology.domain_of_core[core]; domain != PSCI_NO_DOMAIN; domain = system_topology.shapes[domain].parent) {
        if (system_state.is_cut[domain]) {
            snprintf(text, sizeof(text), "core %u: runs in domain %u, which is cut", core, domain);
            return text;
        }
        if (psci.domains[domain].state.value != PSCI_DOMAIN_ON) {
            snprintf(text, sizeof(text), "core %u: runs while domain %u is in state %u", core, domain, psci.domains[domain].state.value);
            return text;
        }
    }
    return NULL;
}

static void core_up(unsigned core)
{
    if (parking.core_up != NULL) {
        parking.core_up(core);
    }
    system_state.is_up[core] = true;
}

static void domain_up(unsigned domain)
{
    host_point(HOST_PLATFORM, NULL, PLATFORM_SEEN);
    if (system_topology.shapes[domain].parent != PSCI_NO_DOMAIN && system_state.is_cut[system_topology.shapes[domain].parent]) {
        host_fail("brings domain %u up inside one that is cut", domain);
    }
    system_state.is_cut[domain] = false;
    system_state.has_last_man[domain] = false;
}

static void __attribute__((noreturn)) system_ends(void)
{
    host_fail("ends the system");
}

static void __attribute__((noreturn)) system_reset(bool alone)
{
    (void)alone;
    system_ends();
}

static bool mem_protect(bool enable)
{
    return enable;
}

static const struct psci_platform simple = {
    .topology = &system_topology,
    .core_of_mpidr = core_of_mpidr,
    .mpidr_of_core = mpidr_of_core,
    .is_ns_memory = is_ns_memory,
    .core_on = core_on,
    .power_message = power_message,
    .power_down = host_power_down,
    .domain_up = domain_up,
    .core_up = core_up,
    .system_off = system_ends,
    .system_reset = system_reset,
    .mem_protect = mem_protect,
};

const struct psci_platform *controller_begin(uint32_t off)
{
    static struct psci_platform hooks;

    hooks = simple;
    parking = (struct psci_platform){ 0 };
    if (interrupts_setup.version != 0) {
        parked_init(&parking, off);
        hooks.core_prepare_down = parking.core_prepare_down;
    }
    return &hooks;
}

/* The mode may change only while no core is in a suspend, or about to be in one by the rules of the other mode. */
static bool sleeps_in_other_mode(unsigned core)
{
    enum host_wait wait = host_cores[core].wait;
    uint32_t mode = psci.suspend_mode.value;

    return (wait == HOST_SUSPENDED || wait == HOST_IN_STANDBY) && mode != PSCI_MODE_CHANGING && mode != system_state.read_mode[core];
}

static const char *core_fault(unsigned core)
{
    uint32_t state = psci.cores[core].state.value;

    if (host_cores[core].wait == HOST_OFF && state != PSCI_CORE_OFF && state != PSCI_CORE_ON_PENDING) {
        return "a core has gone off and AFFINITY_INFO does not say so";
    }
    if (state == PSCI_CORE_OFF && host_cores[core].caches_on && host_cores[core].wait != HOST_OFF) {
        return "AFFINITY_INFO says OFF of a core that runs";
    }
    if (sleeps_in_other_mode(core)) {
        return "a core sleeps by the rules of one suspend mode while the other is set";
    }
    return system_state.is_up[core] ? domains_fault(core) : NULL;
}

const char *controller_fault(void)
{
    const char *fault = NULL;

    for (unsigned core = 0; core < system_topology.cores && fault == NULL; core++) {
        fault = core_fault(core);
    }
    return fault;
}
