/* SPDX-License-Identifier: BSD-3-Clause */
#include "movers.h"

#include <stdio.h>

#include "host_private.h"
#include "psci_private.h"
#include "stores.h"
#include "system_state.h"

static bool is_in_transit(uint32_t state)
{
    return state == PSCI_DOMAIN_GOING_DOWN || state == PSCI_DOMAIN_COMING_UP;
}

static bool holds_lock(unsigned core, const struct psci_domain *domain)
{
    return domain->lock.holder == core + 1U;
}

/* The core that takes a domain down or brings it up. */
static bool owns(unsigned core, const struct psci_domain *domain)
{
    return is_in_transit(domain->state.value) && system_state.owner[domain - psci.domains] == core + 1U;
}

static struct psci_domain *domain_of_state(const void *object)
{
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        if (object == &psci.domains[domain].state) {
            return &psci.domains[domain];
        }
    }
    return NULL;
}

static struct psci_domain *domain_of_wanted(const void *object)
{
    for (unsigned domain = 0; domain < system_topology.domains; domain++) {
        if (object == &psci.domains[domain].wanted) {
            return &psci.domains[domain];
        }
    }
    return NULL;
}

/* Only its owner stores to the state of a domain in transit, only who holds the lock to that of another. */
static bool may_store_state(unsigned core, const struct psci_domain *domain)
{
    return is_in_transit(domain->state.value) ? owns(core, domain) : holds_lock(core, domain);
}

static bool may_load_wanted(unsigned core, const struct psci_domain *domain)
{
    return holds_lock(core, domain) || (domain->state.value == PSCI_DOMAIN_GOING_DOWN && owns(core, domain));
}

/* Where the core may store to a state, nobody else may. */
static enum mover mover_of_load(unsigned core, const void *object)
{
    const struct psci_domain *domain = domain_of_state(object);

    if ((object == &psci.suspend_mode && !system_setup.changes_mode) || (domain != NULL && may_store_state(core, domain))) {
        return MOVES_BOTH;
    }
    return MOVES_NOWHERE;
}

/*
 * Before a domain goes down nobody can look whether it is wanted but who holds its lock. That a core which was on has asked
 * for a suspend is no difference to anybody but SET_SUSPEND_MODE.
 */
static enum mover mover_of_store(unsigned core, const struct access *access)
{
    const struct psci_domain *domain = domain_of_wanted(access->object);

    if (access->object == &psci.cores[core].state && access->arg == PSCI_CORE_SUSPENDING && !system_setup.changes_mode) {
        return MOVES_BOTH;
    }
    return domain != NULL && domain->state.value != PSCI_DOMAIN_GOING_DOWN ? MOVES_BOTH : MOVES_NOWHERE;
}

enum mover mover_of(unsigned core, const struct access *access)
{
    if (stores_held(core)) {
        return MOVES_NOWHERE;
    }
    switch (access->operation) {
    case HOST_LOCK_ACQUIRE:
        return MOVES_RIGHT;
    case HOST_LOCK_RELEASE:
        return MOVES_LEFT;
    case HOST_SHARED_LOAD:
        return mover_of_load(core, access->object);
    case HOST_SHARED_STORE:
        return mover_of_store(core, access);
    case HOST_CACHE_POWER_DOWN:
        return access->arg == PSCI_LEVEL_CORE ? MOVES_LEFT : MOVES_NOWHERE;
    case HOST_PUBLISH: /* of what nobody looks at before he is told to */
        return MOVES_BOTH;
    case HOST_PLATFORM:
        return access->arg == PLATFORM_UNSEEN ? MOVES_LEFT : MOVES_NOWHERE;
    default:
        return MOVES_NOWHERE;
    }
}

static const char *flush_fault(unsigned core)
{
    static char text[96];

    for (unsigned other = 0; other < system_setup.cores; other++) {
        if (other != core && psci.cores[other].domain == psci.cores[core].domain &&
            (psci.cores[other].state.value == PSCI_CORE_ON || psci.cores[other].state.value == PSCI_CORE_SUSPENDING)) {
            snprintf(text, sizeof(text), "core %u: flushes the cache of its cluster while core %u still flushes its own or runs", core, other);
            return text;
        }
    }
    return NULL;
}

/* A core that is off is switched on by whoever swaps its state, and only he may take that back, where the controller has refused. */
static bool may_take_back(unsigned core, unsigned other, uint32_t state)
{
    return system_state.refusal[core] == REFUSAL_MADE && state == PSCI_CORE_OFF && psci.cores[other].state.value == PSCI_CORE_ON_PENDING &&
           system_state.granted[other] == system_context_of(core);
}

/* Nobody else stores to the state of a core but itself. */
static bool is_state_of_other(unsigned core, const struct access *access)
{
    for (unsigned other = 0; other < system_setup.cores; other++) {
        if (other != core && access->object == &psci.cores[other].state) {
            return !may_take_back(core, other, (uint32_t)access->arg);
        }
    }
    return false;
}

static const char *store_fault(unsigned core, const struct access *access)
{
    static char text[96];
    const void *object = access->object;
    const struct psci_domain *domain = domain_of_state(object);
    const struct psci_domain *asked = domain_of_wanted(object);

    if (object == &psci.suspend_mode && !system_setup.changes_mode) {
        return "the suspend mode changes, which is taken for a constant here";
    }
    if (is_state_of_other(core, access)) {
        snprintf(text, sizeof(text), "core %u: stores to the state of another core", core);
        return text;
    }
    if (domain != NULL && !may_store_state(core, domain)) {
        snprintf(text, sizeof(text), "core %u: stores to the state of domain %u, which is another's to change", core, (unsigned)(domain - psci.domains));
        return text;
    }
    if (asked != NULL && !holds_lock(core, asked)) {
        snprintf(text, sizeof(text), "core %u: stores to `wanted` of domain %u without its lock", core, (unsigned)(asked - psci.domains));
        return text;
    }
    return NULL;
}

static const char *load_fault(unsigned core, const void *object)
{
    static char text[96];
    const struct psci_domain *domain = domain_of_wanted(object);

    if (domain != NULL && !may_load_wanted(core, domain)) {
        snprintf(text, sizeof(text), "core %u: looks whether domain %u is wanted and is not its last man", core, (unsigned)(domain - psci.domains));
        return text;
    }
    return NULL;
}

const char *access_fault(unsigned core, const struct access *access)
{
    switch (access->operation) {
    case HOST_SHARED_LOAD:
        return load_fault(core, access->object);
    case HOST_SHARED_STORE:
        return store_fault(core, access);
    case HOST_CACHE_POWER_DOWN:
        return access->arg == PSCI_LEVEL_CORE ? NULL : flush_fault(core);
    default:
        return NULL;
    }
}

/* Of several callers of CPU_ON the one that finds the core off says what it comes up with. */
static void note_grant(unsigned caller, const void *object)
{
    for (unsigned core = 0; core < system_setup.cores; core++) {
        if (object == &psci.cores[core].state && psci.cores[core].state.value == PSCI_CORE_OFF) {
            system_state.granted[core] = system_context_of(caller);
        }
    }
}

void access_made(unsigned core, const struct access *access)
{
    const struct psci_domain *domain = domain_of_state(access->object);

    if (stores_is_barrier(access)) {
        stores_drain(core);
    }
    if (access->operation == HOST_SHARED_COMPARE_SWAP) {
        note_grant(core, access->object);
    }
    if (access->operation == HOST_SHARED_LOAD && access->object == &psci.suspend_mode) {
        system_state.read_mode[core] = (uint8_t)psci.suspend_mode.value;
    }
    if (access->operation == HOST_SHARED_STORE && domain != NULL) {
        system_state.owner[domain - psci.domains] = is_in_transit((uint32_t)access->arg) ? (uint8_t)(core + 1U) : 0;
    }
}
